// The machinery of <heist/sync/shared_mutex.hpp>: the operations of an uncontended lock.
#pragma once

#include <atomic>
#include <cstdint>
#include "heist/detail/race.hpp"

#include "heist/detail/alarm.hpp"
#include "heist/detail/chrono.hpp"
#include "heist/sync/shared_mutex.hpp"

namespace heist::inline v0 {

inline void shared_mutex::lock() {
  if (!try_lock()) [[unlikely]]
    lock_slow();
}

inline bool shared_mutex::try_lock() noexcept {
  std::uint64_t seen = 0;
  // Acquire: partners are the releases by previous holders, in unlock(), unlock_shared() and
  // hand_over().
  if (!state_.compare_exchange_strong(seen, writer, std::memory_order_acquire,
                                      std::memory_order_relaxed))
    return false;
  detail::race::takes(this);
  if (detail::waits_are_checked()) [[unlikely]]
    note_locked(detail::hold_kind::exclusive);
  return true;
}

template <class Rep, class Period>
inline bool shared_mutex::try_lock_for(std::chrono::duration<Rep, Period> time) {
  return try_lock() || lock_until(detail::due_in(time));
}

template <class Clock, class Duration>
inline bool shared_mutex::try_lock_until(std::chrono::time_point<Clock, Duration> time) {
  return try_lock() || lock_until(detail::due_at(time));
}

inline void shared_mutex::unlock() noexcept {
  detail::race::drops(this);
  if (detail::waits_are_checked()) [[unlikely]]
    note_unlocked();
  std::uint64_t seen = writer;
  // Release: partners in try_lock() and try_lock_shared().
  while (!state_.compare_exchange_strong(seen, 0, std::memory_order_release,
                                         std::memory_order_relaxed)) [[unlikely]] {
    if (hand_over()) return;
    seen = writer;  // those that waited have given up
  }
}

inline void shared_mutex::lock_shared() {
  if (!try_lock_shared()) [[unlikely]]
    lock_shared_slow();
}

inline bool shared_mutex::try_lock_shared() noexcept {
  std::uint64_t seen = state_.load(std::memory_order_relaxed);
  while ((seen & (writer | queued)) == 0)
    if (state_.compare_exchange_weak(seen, seen + reader, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
      detail::race::takes(this, true);
      if (detail::waits_are_checked()) [[unlikely]]
        note_locked(detail::hold_kind::shared);
      return true;
    }
  return false;
}

template <class Rep, class Period>
inline bool shared_mutex::try_lock_shared_for(std::chrono::duration<Rep, Period> time) {
  return try_lock_shared() || lock_shared_until(detail::due_in(time));
}

template <class Clock, class Duration>
inline bool shared_mutex::try_lock_shared_until(std::chrono::time_point<Clock, Duration> time) {
  return try_lock_shared() || lock_shared_until(detail::due_at(time));
}

inline void shared_mutex::unlock_shared() noexcept {
  detail::race::drops(this);
  if (detail::waits_are_checked()) [[unlikely]]
    note_unlocked();
  do {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    while (seen != (reader | queued))
      if (state_.compare_exchange_weak(seen, seen - reader, std::memory_order_release,
                                       std::memory_order_relaxed))
        return;
  } while (!hand_over());  // this is the last reader, and there are waiters
}

}  // namespace heist::inline v0
