#include "heist/sync/semaphore.hpp"

#include <string>

#include "heist/error.hpp"

namespace heist::inline v0::detail {

semaphore::semaphore(std::ptrdiff_t count, std::ptrdiff_t max, place made) : count_(count) {
  if (count < 0 || count > max)
    throw usage_error("counting_semaphore: a count of " + std::to_string(count) +
                      " isn't from 0 to " + std::to_string(max));
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
