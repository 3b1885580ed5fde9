#include "heist/sync/mutex.hpp"

#include "platform/cpu.hpp"

namespace heist::inline v0 {

using detail::holding;
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
      break;  // relaxed: whoever sees `queued` takes guard_ before it looks at the list
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

bool lock_soon(mutex& m) noexcept {
  constexpr int pauses = 32;  // a short section ends sooner than it takes to suspend a fiber
  for (int i = 0; i < pauses; ++i) {
    platform::pause();
    if (m.try_lock()) return true;
  }
  return false;
}

}  // namespace

void mutex::lock_slow() noexcept {
  if (lock_soon(*this)) return;
  for (bool was_woken = false;; was_woken = true) {
    waiter me;
    if (queue(me, was_woken)) return;
    me.point.wait();
    if (me.is_granted) return;
  }
}

bool mutex::lock_until(detail::due_time due) {
  if (detail::is_over(due)) return false;
  if (lock_soon(*this)) return true;
  // Both alarms are made before anything is queued: a waiter that was woken must not fail to take
  // `waking` back. For the same reason it queues even if its time is over; then the alarm rings at
  // once.
  detail::timed_waiter<mutex> first(*this, due);
  detail::timed_waiter<mutex> again(*this, due);
  if (queue(first, false)) return true;
  if (!first.wait_in_time()) return false;
  if (queue(again, true)) return true;
  return again.wait_in_time();  // it is granted the lock, or has given up
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

}  // namespace heist::inline v0
