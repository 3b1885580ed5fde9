#include "heist/sync/barrier.hpp"

#include <string>

#include "heist/error.hpp"
#include "heist/sync/latch.hpp"
#include "heist/sync/semaphore.hpp"
#include "runtime/notes.hpp"

namespace heist::inline v0::detail {

barrier_phases::barrier_phases(std::ptrdiff_t expected, place made)
    : expected_(expected), left_(expected) {
  if (expected < 0) throw usage_error("barrier: " + std::to_string(expected) + " are expected");
  note_made(this, made);
}

barrier_phases::arrival barrier_phases::arrive(std::ptrdiff_t n, std::ptrdiff_t dropped) {
  std::ptrdiff_t left;
  {
    const holding hold(guard_);
    left = left_;
    if (n >= 1 && n <= left) {
      left_ -= n;
      expected_ -= dropped;
      return {phase_, left_ == 0};
    }
  }
  throw usage_error("barrier: " + std::to_string(n) + " arrive where " + std::to_string(left) +
                    " are expected");
}

// Meanwhile nobody arrives: all that are expected have arrived.
void barrier_phases::end_phase() noexcept {
  waiter_list all;
  {
    const holding hold(guard_);
    ++phase_;
    left_ = expected_;
    all = waiters_.take_all();
  }
  all.end_all();
}

void barrier_phases::wait(std::uint64_t phase) noexcept {
  waiter me;
  {
    const holding hold(guard_);
    if (phase != phase_) return;
    waiters_.push_back(me);
  }
  me.point.wait({wait_kind::barrier, false, this});
}

}  // namespace heist::inline v0::detail

// ---- latch.hpp

namespace heist::inline v0 {

latch::latch(std::ptrdiff_t expected, detail::place made) : state_(expected * one) {
  if (expected < 0 || expected > max())
    throw usage_error("latch: a count of " + std::to_string(expected));
  detail::notes::is_made(this);
  detail::note_made(this, made);
}

void latch::wait_slow() noexcept {
  detail::waiter me;
  {
    const detail::holding hold(guard_);
    // The flag is raised in the same step that sees a count: the last count_down() either came
    // before it, or finds it.
    std::ptrdiff_t seen = state_.load(std::memory_order_acquire);
    do {
      if (seen < one) return;
      // Relaxed: the list is guarded.
    } while (!state_.compare_exchange_weak(seen, seen | has_waiters, std::memory_order_relaxed,
                                           std::memory_order_acquire));
    waiters_.push_back(me);
  }
  me.point.wait({detail::wait_kind::latch, false, this});
}

// A waiter is listed, and returns only after it has been taken out: until then the latch exists.
void latch::wake() noexcept {
  detail::waiter_list all;
  {
    const detail::holding hold(guard_);
    all = waiters_.take_all();
  }
  all.end_all();
}

}  // namespace heist::inline v0

// ---- semaphore.hpp

namespace heist::inline v0::detail {

semaphore::semaphore(std::ptrdiff_t count, std::ptrdiff_t max, place made) : count_(count) {
  if (count < 0 || count > max)
    throw usage_error("counting_semaphore: a count of " + std::to_string(count) +
                      " isn't from 0 to " + std::to_string(max));
  notes::is_made(this);
  note_made(this, made);
}

void semaphore::refuse(std::ptrdiff_t n) {
  throw usage_error("counting_semaphore::release: " + std::to_string(n) + " permits");
}

bool semaphore::list(waiter& w) noexcept {
  const holding hold(guard_);  // also orders what was released before the permit was handed over
  if (handed_ > 0) {
    --handed_;
    return false;
  }
  waiters_.push_back(w);
  return true;
}

void semaphore::acquire_slow() noexcept {
  waiter me;
  if (list(me)) me.point.wait({wait_kind::semaphore, false, this});
}

bool semaphore::acquire_until(due_time due) {
  if (is_over(due)) return false;
  timed_waiter<semaphore> me(*this, due);
  // Acquire: as in acquire().
  if (count_.fetch_sub(1, std::memory_order_acquire) > 0) return true;
  return !list(me) || me.wait_in_time(wait_kind::semaphore);
}

// Below zero, count_ tells how many waiters have no permit on its way. Otherwise a permit is on its
// way to each of them, and it is too late to give up, for whichever waiter it was meant.
bool semaphore::give_up(waiter& w) noexcept {
  const holding hold(guard_);
  if (!w.is_listed) return false;
  std::ptrdiff_t seen = count_.load(std::memory_order_relaxed);
  do {
    if (seen >= 0) return false;
    // Relaxed: this hands nothing on.
  } while (!count_.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed,
                                         std::memory_order_relaxed));
  waiters_.remove(w);
  return true;
}

void semaphore::hand_over(std::ptrdiff_t n) noexcept {
  waiter_list granted;
  {
    const holding hold(guard_);
    for (; n > 0 && !waiters_.empty(); --n) waiters_.serve_first(granted);
    handed_ += n;
  }
  granted.end_all();
}

}  // namespace heist::inline v0::detail
