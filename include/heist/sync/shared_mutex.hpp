// A mutex for fibers that admits one writer, or any number of readers. A fiber that has to wait is
// suspended, and its thread does other work. It may be held across fork_join and other waits, as
// heist::mutex may.
//
// It is fair: waiters are admitted in the order in which they came, neighbouring readers all at
// once, and no later caller overtakes them. So neither readers nor writers starve. A reader must
// not lock it twice, since a writer may wait in between.
#pragma once

#include <atomic>
#include <cstdint>

#include "heist/detail/alarm.hpp"
#include "heist/detail/chrono.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/wait_checks.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0 {

// As std::shared_timed_mutex: std::unique_lock and std::shared_lock work; fibers and threads
// outside any pool may use it together. Uncontended, each member costs one atomic operation. No
// member allocates or throws except those with a time limit, which throw resource_error or
// std::bad_alloc where they have to wait and can't. Under HEIST_CHECK=1 lock() and lock_shared()
// throw deadlock where they would never return (docs/debugging.md).
class shared_mutex {
 public:
  // Nobody holds it. Allocates nothing.
  constexpr shared_mutex(detail::place made = detail::place::here()) noexcept {
    detail::note_made(this, made);
  }
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  // For a writer: lock() returns when it holds the lock alone; try_lock() says whether it does, and
  // never waits.
  void lock();
  [[nodiscard]] bool try_lock() noexcept;
  // False if the time was over before the lock was free for the caller. A waiter that gives up
  // doesn't delay the others.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> time);
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> time);
  // Gives the writer's lock back.
  void unlock() noexcept;

  // The same for a reader.
  void lock_shared();
  [[nodiscard]] bool try_lock_shared() noexcept;
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(std::chrono::duration<Rep, Period> time);
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(std::chrono::time_point<Clock, Duration> time);
  void unlock_shared() noexcept;

 private:
  static constexpr std::uint64_t writer = 1;
  // Set while waiters_ isn't empty; changes under guard_.
  static constexpr std::uint64_t queued = 2;
  static constexpr std::uint64_t reader = 4;  // times the number of readers

  friend detail::timed_waiter<shared_mutex>;
  HEIST_API void lock_slow();
  HEIST_API void lock_shared_slow();
  HEIST_API bool lock_until(detail::due_time due);
  HEIST_API bool lock_shared_until(detail::due_time due);
  HEIST_API bool hand_over() noexcept;
  HEIST_API void note_locked(detail::hold_kind kind) noexcept;
  HEIST_API void note_unlocked() noexcept;
  void lock_checked(detail::waiter& w, detail::wait_kind kind);
  bool queue(detail::waiter& w) noexcept;
  bool give_up(detail::waiter& w) noexcept;
  std::uint64_t let_readers_in(detail::waiter_list& inside) noexcept;

  std::atomic<std::uint64_t> state_{0};
  detail::short_lock guard_;
  detail::waiter_list waiters_;  // guarded by guard_
};

}  // namespace heist::inline v0

#include "heist/detail/shared_mutex_impl.hpp"
