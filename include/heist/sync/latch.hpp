// A latch for fibers: counts down once; who waits suspends its fiber, and the thread does other work.
#pragma once

#include <atomic>
#include <cstddef>

#include "heist/detail/export.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0 {

// As std::latch; works for fibers and for threads outside any pool together. count_down() costs one atomic operation
// and waking up those who wait. It may be destroyed as soon as every wait() has returned, also while the last
// count_down() is about to.
class latch {
 public:
  // Throws usage_error for a negative count, or one above max().
  HEIST_API explicit latch(std::ptrdiff_t count);
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return PTRDIFF_MAX / 2; }

  // n: from 0 to what is left of the count.
  void count_down(std::ptrdiff_t n = 1) noexcept {
    // Release and acquire: what happened before each count_down() is seen by those that the last one wakes.
    const std::ptrdiff_t left = state_.fetch_sub(n * one, std::memory_order_acq_rel) - n * one;
    if (left == has_waiters) [[unlikely]]
      wake();
  }
  [[nodiscard]] bool try_wait() const noexcept {
    // Acquire: partners are the count_down()s.
    return state_.load(std::memory_order_acquire) < one;
  }
  void wait() noexcept {
    if (!try_wait()) wait_slow();
  }
  void arrive_and_wait(std::ptrdiff_t n = 1) noexcept {
    count_down(n);
    wait();
  }

 private:
  static constexpr std::ptrdiff_t has_waiters = 1;
  static constexpr std::ptrdiff_t one = 2;

  HEIST_API void wait_slow() noexcept;
  HEIST_API void wake() noexcept;

  std::atomic<std::ptrdiff_t> state_;  // the count, and whether somebody waits
  detail::short_lock guard_;
  detail::waiter_list waiters_;  // guarded by guard_
};

}  // namespace heist::inline v0
