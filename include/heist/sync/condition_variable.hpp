// A condition variable for fibers: a fiber that waits is suspended, and its thread does other work.
#pragma once

#include <atomic>
#include <cstddef>

#include "heist/detail/alarm.hpp"
#include "heist/detail/chrono.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/wait_checks.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0 {

// As std::condition_variable_any, without spurious returns; fibers and threads outside any pool may
// use it together. The lock is a std::unique_lock<heist::mutex> or anything else with lock() and
// unlock(). Use a std::mutex only where every waiter is a thread outside any pool, since a fiber
// may continue on another thread. Notifying costs one load when nobody waits; nothing allocates.
class condition_variable {
 public:
  // Nobody waits. Allocates nothing.
  constexpr condition_variable(detail::place made = detail::place::here()) noexcept {
    detail::note_made(this, made);
  }
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  // Wakes the waiter that has waited longest.
  void notify_one() noexcept;
  void notify_all() noexcept;

  // Unlocks, waits for a notification, and locks again.
  template <class Lock>
  void wait(Lock& lock);
  // Waits until done() is true; it is called with the lock held.
  template <class Lock, class Done>
  void wait(Lock& lock, Done done);

  // The same with a time limit. Without done(): false if the time was over before a notification.
  // With done(): its last result. They throw resource_error or std::bad_alloc, with the lock held,
  // where they have to wait and can't.
  template <class Lock, class Rep, class Period>
  bool wait_for(Lock& lock, std::chrono::duration<Rep, Period> time);
  template <class Lock, class Rep, class Period, class Done>
  bool wait_for(Lock& lock, std::chrono::duration<Rep, Period> time, Done done);
  template <class Lock, class Clock, class Duration>
  bool wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> time);
  template <class Lock, class Clock, class Duration, class Done>
  bool wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> time, Done done);

 private:
  friend detail::timed_waiter<condition_variable>;

  template <class Lock>
  bool wait_in_time(Lock& lock, detail::due_time due);
  template <class Lock, class Done>
  bool wait_in_time(Lock& lock, detail::due_time due, Done& done);

  [[nodiscard]] bool has_waiters() const noexcept;
  HEIST_API void list(detail::waiter& w) noexcept;
  HEIST_API bool give_up(detail::waiter& w) noexcept;
  HEIST_API void wake_one() noexcept;
  HEIST_API void wake_all() noexcept;

  std::atomic<std::size_t> listed_{0};  // written under guard_
  detail::short_lock guard_;
  detail::waiter_list waiters_;  // guarded by guard_
};

}  // namespace heist::inline v0

#include "heist/detail/condition_variable_impl.hpp"
