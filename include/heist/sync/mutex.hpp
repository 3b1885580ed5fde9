// A mutex for fibers: a fiber that has to wait is suspended, and its thread does other work.
//
//     heist::mutex m;
//     heist::parallel_for(v, [&](item& x) {
//       const std::lock_guard hold(m);
//       ...                            // may fork, join and wait, and change its thread
//     });
//
// It may be held across fork_join, a scope, or the wait for a future: a waiting fiber never runs
// other work on its own stack, so nothing that wants the lock can end up on top of its holder.
// Threads outside any pool may lock it too.
//
// Waiting. lock() looks for some microseconds whether the lock becomes free, which is about what a
// suspended fiber costs, and then suspends. The only worker of a pool suspends at once.
//
// Fairness. unlock() releases the lock and wakes the waiter that has waited longest. Other threads
// may take the lock before it (barging), so that the lock isn't idle while the woken waiter is on
// its way. A waiter that was woken looks for some microseconds, too; if it finds the lock held all
// the time it waits at the front, and the next unlock() hands the lock to it. So a waiter is
// overtaken during at most one wake-up and those microseconds, and none starves.
#pragma once

#include <atomic>
#include <cstdint>

#include "heist/detail/alarm.hpp"
#include "heist/detail/chrono.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/wait_checks.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0 {

// Meets TimedLockable: std::lock_guard, std::unique_lock and std::scoped_lock work. Not recursive.
// Any fiber may unlock what another one locked. Uncontended, lock() and unlock() cost one atomic
// operation each. No member allocates or throws except try_lock_for and try_lock_until, which throw
// resource_error or std::bad_alloc where they have to wait and can't. Under HEIST_CHECK=1 lock()
// throws deadlock where it would never return (docs/debugging.md).
class mutex {
 public:
  // The mutex is free. Allocates nothing.
  constexpr mutex(detail::place made = detail::place::here()) noexcept {
    detail::note_made(this, made);
  }
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  // Returns when the caller holds the lock.
  void lock();
  // Takes the lock if it is free; returns whether it did. Never waits.
  [[nodiscard]] bool try_lock() noexcept;
  // False if the time was over before the lock was free for the caller. A waiter that gives up
  // doesn't delay the others.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> time);
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> time);
  // Gives the lock back, and wakes the waiter that has waited longest.
  void unlock() noexcept;

 private:
  static constexpr std::uint32_t locked = 1;
  static constexpr std::uint32_t queued = 2;  // set while waiters_ isn't empty
  static constexpr std::uint32_t waking = 4;  // a waiter was woken and hasn't tried yet

  friend detail::timed_waiter<mutex>;
  HEIST_API void lock_slow() noexcept;
  HEIST_API void lock_checked();
  HEIST_API bool try_lock_checked() noexcept;
  HEIST_API void unlock_checked() noexcept;
  bool try_to_lock() noexcept;
  void unlock_now() noexcept;
  HEIST_API bool lock_until(detail::due_time due);
  bool wait_until(detail::due_time due);
  bool give_up(detail::waiter& w) noexcept;
  HEIST_API void unlock_slow() noexcept;
  bool queue(detail::waiter& w, bool was_woken) noexcept;
  bool wake_next() noexcept;

  std::atomic<std::uint32_t> state_{0};  // queued and waking change under guard_ only
  detail::short_lock guard_;
  detail::waiter_list waiters_;  // guarded by guard_
};

}  // namespace heist::inline v0

#include "heist/detail/mutex_impl.hpp"
