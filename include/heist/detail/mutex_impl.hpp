// The machinery of <heist/sync/mutex.hpp>: the operations of an uncontended lock.
#pragma once

#include <atomic>
#include <cstdint>

#include "heist/detail/alarm.hpp"
#include "heist/detail/chrono.hpp"
#include "heist/detail/race.hpp"
#include "heist/sync/mutex.hpp"

namespace heist::inline v0 {

inline void mutex::lock() {
  if (detail::waits_are_checked()) [[unlikely]]
    return lock_checked();
  std::uint32_t seen = 0;
  // Acquire: partners are the releases in unlock(), unlock_slow() and wake_next().
  if (!state_.compare_exchange_strong(seen, locked, std::memory_order_acquire,
                                      std::memory_order_relaxed)) [[unlikely]]
    lock_slow();
  detail::race::takes(this);
}

inline bool mutex::try_lock() noexcept {
  if (detail::waits_are_checked()) [[unlikely]]
    return try_lock_checked();
  const bool is_taken = try_to_lock();
  if (is_taken) detail::race::takes(this);
  return is_taken;
}

inline bool mutex::try_to_lock() noexcept {
  std::uint32_t seen = state_.load(std::memory_order_relaxed);
  while ((seen & locked) == 0)
    if (state_.compare_exchange_weak(seen, seen | locked, std::memory_order_acquire,
                                     std::memory_order_relaxed))
      return true;
  return false;
}

template <class Rep, class Period>
inline bool mutex::try_lock_for(std::chrono::duration<Rep, Period> time) {
  return try_lock() || lock_until(detail::due_in(time));
}

template <class Clock, class Duration>
inline bool mutex::try_lock_until(std::chrono::time_point<Clock, Duration> time) {
  return try_lock() || lock_until(detail::due_at(time));
}

inline void mutex::unlock() noexcept {
  detail::race::drops(this);
  if (detail::waits_are_checked()) [[unlikely]]
    return unlock_checked();
  unlock_now();
}

inline void mutex::unlock_now() noexcept {
  std::uint32_t seen = locked;
  // Release: partners are the acquires in lock(), try_lock() and queue().
  if (!state_.compare_exchange_strong(seen, 0, std::memory_order_release,
                                      std::memory_order_relaxed)) [[unlikely]]
    unlock_slow();
}

}  // namespace heist::inline v0
