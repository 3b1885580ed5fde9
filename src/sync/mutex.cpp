#include "heist/sync/mutex.hpp"

#include "heist/detail/parallel/pace.hpp"
#include "heist/detail/refusable_wait.hpp"
#include "heist/detail/short_lock.hpp"
#include "heist/detail/spawn_path.hpp"
#include "heist/sync/condition_variable.hpp"
#include "platform/cpu.hpp"
#include "platform/park.hpp"

namespace heist::inline v0 {

using detail::hold_kind;
using detail::holding;
using detail::wait_kind;
using detail::waiter;

// True if the waiter has the lock, false if it is queued.
bool mutex::queue(waiter& w, bool was_woken) noexcept {
  const holding hold(guard_);
  const std::uint32_t over = was_woken ? waking : 0;
  std::uint32_t seen = state_.load(std::memory_order_relaxed);
  for (;;) {
    if ((seen & locked) == 0) {
      // Acquire: as in lock().
      if (state_.compare_exchange_weak(seen, (seen & ~over) | locked, std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return true;
    } else if (state_.compare_exchange_weak(seen, (seen & ~over) | queued,
                                            std::memory_order_relaxed, std::memory_order_relaxed)) {
      break;  // relaxed: the one that sees `queued` takes guard_ before it looks at the list
    }
  }
  if (was_woken) {
    w.is_granted = true;  // the next unlock() hands the lock to it
    waiters_.push_front(w);
  } else {
    waiters_.push_back(w);
  }
  return false;
}

namespace {

// Whether it comes true within about the time that suspending a fiber and resuming it would take.
// The tests become rarer: each takes the state's cache line from the thread that holds the lock,
// and what it protects follows. So a thread that locks again and again does so some times in a row,
// as long as no other one is queued. The only worker of a pool doesn't wait here, since most likely
// the lock is held by one of its own suspended fibers.
template <class Test>
bool soon(Test&& test) noexcept {
  const detail::worker_front* const me = detail::this_worker_front();
  if (me != nullptr && me->workers == 1) return false;
  constexpr int most_pauses = 64;  // between two tests: 3 us where a pause takes 140 cycles
  const std::uint64_t start = detail::ticks();
  int pauses = 1;
  do {
    for (int i = 0; i < pauses; ++i) platform::pause();
    if (test()) return true;
    if (pauses < most_pauses) pauses *= 2;
  } while (detail::ticks() - start < detail::ticks_per_chunk());
  return false;
}

}  // namespace

void mutex::lock_slow() noexcept {
  if (soon([this] { return try_to_lock(); })) return;
  for (bool was_woken = false;; was_woken = true) {
    waiter me;
    if (queue(me, was_woken)) return;
    me.point.wait({wait_kind::mutex, false, this});
    if (me.is_granted) return;
    // Others may take the lock in turn for a while, before it is handed over.
    soon([this] { return (state_.load(std::memory_order_relaxed) & locked) == 0; });
  }
}

void mutex::lock_checked() {
  if (!try_to_lock()) {
    detail::refusable_wait wait({wait_kind::mutex, false, this});
    for (bool was_woken = false;; was_woken = true) {
      waiter me;
      if (queue(me, was_woken)) break;
      wait.wait(me.point, this, &me, [](void* m, void* w) noexcept {
        return static_cast<mutex*>(m)->give_up(*static_cast<waiter*>(w));
      });
      if (me.is_granted) break;
    }
  }
  detail::note_acquired(this, hold_kind::exclusive);
}

bool mutex::try_lock_checked() noexcept {
  if (!try_to_lock()) return false;
  detail::note_acquired(this, hold_kind::exclusive);
  return true;
}

void mutex::unlock_checked() noexcept {
  detail::note_released(this);
  unlock_now();
}

bool mutex::lock_until(detail::due_time due) {
  if (detail::is_over(due)) return false;
  const bool is_mine = soon([this] { return try_to_lock(); }) || wait_until(due);
  if (is_mine && detail::waits_are_checked()) detail::note_acquired(this, hold_kind::exclusive);
  return is_mine;
}

bool mutex::wait_until(detail::due_time due) {
  // Both alarms are made before anything is queued: a waiter that was woken must not fail to take
  // `waking` back. For the same reason it queues even if its time is over; then the alarm rings at
  // once.
  detail::timed_waiter<mutex> first(*this, due);
  detail::timed_waiter<mutex> again(*this, due);
  if (queue(first, false)) return true;
  if (!first.wait_in_time(wait_kind::mutex)) return false;
  if (queue(again, true)) return true;
  return again.wait_in_time(wait_kind::mutex);  // it is granted the lock, or has given up
}

// `queued` stays, even if the list is empty now: wake_next() expects that.
bool mutex::give_up(waiter& w) noexcept {
  const holding hold(guard_);
  if (!w.is_listed) return false;
  waiters_.remove(w);
  return true;
}

void mutex::unlock_slow() noexcept {
  std::uint32_t seen = state_.load(std::memory_order_relaxed);
  for (;;) {
    if ((seen & (queued | waking)) == queued) {
      if (wake_next()) return;
      seen = state_.load(std::memory_order_relaxed);
    } else if (state_.compare_exchange_weak(seen, seen & ~locked, std::memory_order_release,
                                            std::memory_order_relaxed)) {
      return;  // release: as in unlock()
    }
  }
}

// False if every waiter has given up. When it returns true, the mutex may be gone.
bool mutex::wake_next() noexcept {
  waiter* next;
  {
    const holding hold(guard_);
    next = waiters_.pop();
    const std::uint32_t rest = waiters_.empty() ? 0 : queued;
    // Nobody else changes state_ now: it is locked, by the caller, and its other bits are guarded.
    if (next == nullptr)
      state_.store(locked, std::memory_order_relaxed);
    else if (next->is_granted)
      state_.store(locked | rest, std::memory_order_relaxed);  // end() and wait() order the rest
    else
      state_.store(waking | rest, std::memory_order_release);  // partners: as in unlock()
  }
  if (next == nullptr) return false;
  next->point.end();
  return true;
}

// ---- condition_variable.hpp

using detail::holding;
using detail::waiter;

// Relaxed, all of listed_: it is written under guard_; see has_waiters().
void condition_variable::list(waiter& w) noexcept {
  const holding hold(guard_);
  waiters_.push_back(w);
  listed_.store(listed_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool condition_variable::give_up(waiter& w) noexcept {
  const holding hold(guard_);
  if (!w.is_listed) return false;
  waiters_.remove(w);
  listed_.store(listed_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return true;
}

void condition_variable::wake_one() noexcept {
  waiter* w;
  {
    const holding hold(guard_);
    w = waiters_.pop();
    if (w == nullptr) return;
    listed_.store(listed_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  w->point.end();
}

void condition_variable::wake_all() noexcept {
  detail::waiter_list all;
  {
    const holding hold(guard_);
    all = waiters_.take_all();
    listed_.store(0, std::memory_order_relaxed);
  }
  all.end_all();
}

}  // namespace heist::inline v0

// ---- short_lock.hpp

namespace heist::inline v0::detail {

void short_lock::lock_slow() noexcept {
  constexpr int pauses = 64;  // about as long as a section takes
  for (int i = 0; i < pauses; ++i) {
    platform::pause();
    std::uint32_t seen = free;
    if (word_.load(std::memory_order_relaxed) == free &&
        word_.compare_exchange_weak(seen, held, std::memory_order_acquire,
                                    std::memory_order_relaxed))
      return;
  }
  // Acquire: partner in unlock().
  while (word_.exchange(held_and_wanted, std::memory_order_acquire) != free)
    platform::futex_wait(word_, held_and_wanted);
}

void short_lock::wake() noexcept { platform::futex_wake(word_, 1); }

}  // namespace heist::inline v0::detail
