#include "heist/sync/semaphore.hpp"

#include <string>

#include "heist/error.hpp"

namespace heist::inline v0::detail {

semaphore::semaphore(std::ptrdiff_t count, std::ptrdiff_t max) : count_(count) {
  if (count < 0 || count > max)
    throw usage_error("counting_semaphore: a count of " + std::to_string(count) +
                      " isn't from 0 to " + std::to_string(max));
}

void semaphore::refuse(std::ptrdiff_t n) {
  throw usage_error("counting_semaphore::release: " + std::to_string(n) + " permits");
}

void semaphore::acquire_slow() noexcept {
  waiter me;
  {
    const holding hold(guard_);  // also orders what was released before the permit was handed over
    if (handed_ > 0) {
      --handed_;
      return;
    }
    waiters_.push_back(me);
  }
  me.point.wait();
}

void semaphore::hand_over(std::ptrdiff_t n) noexcept {
  waiter_list go_on;
  {
    const holding hold(guard_);
    for (; n > 0; --n) {
      waiter* const w = waiters_.pop();
      if (w == nullptr) break;
      go_on.push_back(*w);
    }
    handed_ += n;
  }
  go_on.end_all();
}

}  // namespace heist::inline v0::detail
