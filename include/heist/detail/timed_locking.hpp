// The members of a lock that take a time limit.
#pragma once

#include <chrono>

#include "heist/detail/alarm.hpp"

namespace heist::inline v0::detail {

// For a Lock with try_lock() and lock_until(due_time), which declares this class a friend.
template <class Lock>
class timed_locking {
 public:
  // False if the time was over before the lock was free for the caller. A waiter that gives up
  // doesn't delay the others.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> time) {
    return lock().try_lock() || lock().lock_until(due_in(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> time) {
    return lock().try_lock() || lock().lock_until(due_at(time));
  }

 private:
  friend Lock;
  constexpr timed_locking() noexcept = default;
  Lock& lock() noexcept { return static_cast<Lock&>(*this); }
};

}  // namespace heist::inline v0::detail
