// The machinery of <heist/sync/condition_variable.hpp>: waits with any lock, and notifications when
// nobody waits.
#pragma once

#include <atomic>

#include "heist/detail/alarm.hpp"
#include "heist/detail/chrono.hpp"
#include "heist/detail/waiters.hpp"
#include "heist/sync/condition_variable.hpp"

namespace heist::inline v0 {

// Relaxed: a notifier that must not miss a waiter has held the lock since the waiter was listed.
inline bool condition_variable::has_waiters() const noexcept {
  return listed_.load(std::memory_order_relaxed) != 0;
}

inline void condition_variable::notify_one() noexcept {
  if (has_waiters()) wake_one();
}

inline void condition_variable::notify_all() noexcept {
  if (has_waiters()) wake_all();
}

template <class Lock>
inline void condition_variable::wait(Lock& lock) {
  detail::waiter me;
  list(me);  // before the unlock: the next holder of the lock finds the waiter
  lock.unlock();
  me.point.wait({detail::wait_kind::condition_variable, false, this});
  lock.lock();
}

template <class Lock, class Done>
inline void condition_variable::wait(Lock& lock, Done done) {
  while (!done()) wait(lock);
}

template <class Lock>
inline bool condition_variable::wait_in_time(Lock& lock, detail::due_time due) {
  detail::timed_waiter<condition_variable> me(*this, due);
  list(me);
  lock.unlock();
  const bool was_notified = me.wait_in_time(detail::wait_kind::condition_variable);
  lock.lock();
  return was_notified;
}

template <class Lock, class Done>
inline bool condition_variable::wait_in_time(Lock& lock, detail::due_time due, Done& done) {
  while (!done())
    if (!wait_in_time(lock, due)) return done();
  return true;
}

template <class Lock, class Rep, class Period>
inline bool condition_variable::wait_for(Lock& lock, std::chrono::duration<Rep, Period> time) {
  return wait_in_time(lock, detail::due_in(time));
}

template <class Lock, class Rep, class Period, class Done>
inline bool condition_variable::wait_for(Lock& lock, std::chrono::duration<Rep, Period> time,
                                         Done done) {
  return wait_in_time(lock, detail::due_in(time), done);
}

template <class Lock, class Clock, class Duration>
inline bool condition_variable::wait_until(Lock& lock,
                                           std::chrono::time_point<Clock, Duration> time) {
  return wait_in_time(lock, detail::due_at(time));
}

template <class Lock, class Clock, class Duration, class Done>
inline bool condition_variable::wait_until(Lock& lock,
                                           std::chrono::time_point<Clock, Duration> time,
                                           Done done) {
  return wait_in_time(lock, detail::due_at(time), done);
}

}  // namespace heist::inline v0
