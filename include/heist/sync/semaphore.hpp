// Semaphores for fibers: who has to wait suspends its fiber, and the thread does other work.
//
// Fair: who waits gets permits in the order in which it came, and release() hands them over, so that nobody who comes
// later is faster.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>

#include "heist/detail/alarm.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0 {

namespace detail {

class HEIST_API semaphore {
 public:
  // Throws usage_error for a count that is negative or above max.
  semaphore(std::ptrdiff_t count, std::ptrdiff_t max);
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  void acquire() noexcept {
    // Acquire: partner in release(). Below zero: how many wait.
    if (count_.fetch_sub(1, std::memory_order_acquire) <= 0) [[unlikely]]
      acquire_slow();
  }
  [[nodiscard]] bool try_acquire() noexcept {
    std::ptrdiff_t seen = count_.load(std::memory_order_relaxed);
    while (seen > 0)
      if (count_.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return true;
    return false;
  }
  bool acquire_until(due_time due);
  // Throws usage_error for a negative number. When somebody got a permit, *this may be gone.
  void release(std::ptrdiff_t n) {
    if (n < 0) [[unlikely]]
      refuse(n);
    // Release: partners in acquire() and try_acquire().
    const std::ptrdiff_t before = count_.fetch_add(n, std::memory_order_release);
    if (before < 0) [[unlikely]]
      hand_over(n < -before ? n : -before);
  }

 private:
  [[noreturn]] static void refuse(std::ptrdiff_t n);
  friend timed_waiter<semaphore>;
  void acquire_slow() noexcept;
  // True if it is listed, false if a permit was there for it.
  bool list(waiter& w) noexcept;
  bool give_up(waiter& w) noexcept;
  void hand_over(std::ptrdiff_t n) noexcept;

  std::atomic<std::ptrdiff_t>
      count_;  // permits; below zero: how many wait, less those that `handed_` is for
  short_lock guard_;
  std::ptrdiff_t handed_ =
      0;  // guarded by guard_, as is the next: permits for waiters that aren't listed yet
  waiter_list waiters_;
};

}  // namespace detail

// As std::counting_semaphore; works for fibers and for threads outside any pool together. Without waiting, acquire and
// release cost one atomic operation each; nothing allocates.
template <std::ptrdiff_t LeastMax = std::numeric_limits<std::ptrdiff_t>::max()>
class counting_semaphore {
  static_assert(LeastMax >= 0);

 public:
  // Throws usage_error if there are fewer than 0 permits, or more than max().
  explicit counting_semaphore(std::ptrdiff_t permits) : impl_(permits, LeastMax) {}

  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return LeastMax; }

  void acquire() noexcept { impl_.acquire(); }
  [[nodiscard]] bool try_acquire() noexcept { return impl_.try_acquire(); }
  // False if the time was over before there was a permit. Throw resource_error or std::bad_alloc where they have to wait
  // and can't.
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(std::chrono::duration<Rep, Period> time) {
    return impl_.try_acquire() || impl_.acquire_until(detail::due_in(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(std::chrono::time_point<Clock, Duration> time) {
    return impl_.try_acquire() || impl_.acquire_until(detail::due_at(time));
  }
  // Adds n permits; together they must not exceed max(). Throws usage_error if n is negative.
  void release(std::ptrdiff_t n = 1) { impl_.release(n); }

 private:
  detail::semaphore impl_;
};

using binary_semaphore = counting_semaphore<1>;

}  // namespace heist::inline v0
