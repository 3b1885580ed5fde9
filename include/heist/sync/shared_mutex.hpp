// A mutex for fibers that admits one writer, or any number of readers. A fiber that has to wait is
// suspended, and its thread does other work. It may be held across fork_join and other waits, as
// heist::mutex may.
//
// It is fair: waiters are admitted in the order in which they came, neighbouring readers all at
// once, and no later caller overtakes them. So neither readers nor writers starve. A reader must
// not lock it twice, since a writer may wait in between.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "heist/detail/alarm.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/timed_locking.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0 {

// As std::shared_timed_mutex: std::unique_lock and std::shared_lock work; fibers and threads
// outside any pool may use it together. Uncontended, each member costs one atomic operation. No
// member allocates or throws except those with a time limit, which throw resource_error or
// std::bad_alloc where they have to wait and can't.
class shared_mutex : public detail::timed_locking<shared_mutex> {
 public:
  constexpr shared_mutex() noexcept = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      lock_slow();
  }
  [[nodiscard]] bool try_lock() noexcept {
    std::uint64_t seen = 0;
    // Acquire: partners are the releases by previous holders, in unlock(), unlock_shared() and
    // hand_over().
    return state_.compare_exchange_strong(seen, writer, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void unlock() noexcept {
    std::uint64_t seen = writer;
    // Release: partners in try_lock() and try_lock_shared().
    while (!state_.compare_exchange_strong(seen, 0, std::memory_order_release,
                                           std::memory_order_relaxed))
      [[unlikely]] {
        if (hand_over()) return;
        seen = writer;  // those that waited have given up
      }
  }

  void lock_shared() noexcept {
    if (!try_lock_shared()) [[unlikely]]
      lock_shared_slow();
  }
  [[nodiscard]] bool try_lock_shared() noexcept {
    std::uint64_t seen = state_.load(std::memory_order_relaxed);
    while ((seen & (writer | queued)) == 0)
      if (state_.compare_exchange_weak(seen, seen + reader, std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return true;
    return false;
  }
  // As try_lock_for and try_lock_until.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(std::chrono::duration<Rep, Period> time) {
    return try_lock_shared() || lock_shared_until(detail::due_in(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(std::chrono::time_point<Clock, Duration> time) {
    return try_lock_shared() || lock_shared_until(detail::due_at(time));
  }
  void unlock_shared() noexcept {
    do {
      std::uint64_t seen = state_.load(std::memory_order_relaxed);
      while (seen != (reader | queued))
        if (state_.compare_exchange_weak(seen, seen - reader, std::memory_order_release,
                                         std::memory_order_relaxed))
          return;
    } while (!hand_over());  // this is the last reader, and there are waiters
  }

 private:
  static constexpr std::uint64_t writer = 1;
  static constexpr std::uint64_t queued =
      2;  // set while waiters_ isn't empty; changes under guard_
  static constexpr std::uint64_t reader = 4;  // times the number of readers

  friend detail::timed_locking<shared_mutex>;
  friend detail::timed_waiter<shared_mutex>;
  HEIST_API void lock_slow() noexcept;
  HEIST_API void lock_shared_slow() noexcept;
  HEIST_API bool lock_until(detail::due_time due);
  HEIST_API bool lock_shared_until(detail::due_time due);
  HEIST_API bool hand_over() noexcept;
  bool queue(detail::waiter& w) noexcept;
  bool give_up(detail::waiter& w) noexcept;
  std::uint64_t let_readers_in(detail::waiter_list& inside) noexcept;

  std::atomic<std::uint64_t> state_{0};
  detail::short_lock guard_;
  detail::waiter_list waiters_;  // guarded by guard_
};

}  // namespace heist::inline v0
