// A latch for fibers: counts down once. A fiber that waits is suspended, and its thread does other
// work.
#pragma once

#include <atomic>
#include <cstddef>

#include "heist/detail/export.hpp"
#include "heist/detail/wait_checks.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0 {

// As std::latch; fibers and threads outside any pool may use it together. count_down() costs one
// atomic operation and waking up the waiters. The latch may be destroyed as soon as every wait()
// has returned, even if the last count_down() hasn't returned yet.
class latch {
 public:
  // Throws usage_error for a negative count, or one above max().
  HEIST_API explicit latch(std::ptrdiff_t expected, detail::place made = detail::place::here());
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  // The greatest count.
  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return PTRDIFF_MAX / 2; }

  // n: from 0 to the present count.
  void count_down(std::ptrdiff_t n = 1) noexcept;
  // Whether the count is 0.
  [[nodiscard]] bool try_wait() const noexcept;
  // Returns when the count is 0.
  void wait() noexcept;
  // Counts down by n, and returns when the count is 0.
  void arrive_and_wait(std::ptrdiff_t n = 1) noexcept;

 private:
  static constexpr std::ptrdiff_t has_waiters = 1;
  static constexpr std::ptrdiff_t one = 2;

  HEIST_API void wait_slow() noexcept;
  HEIST_API void wake() noexcept;

  std::atomic<std::ptrdiff_t> state_;  // the count, and whether there are waiters
  detail::short_lock guard_;
  detail::waiter_list waiters_;  // guarded by guard_
};

}  // namespace heist::inline v0

#include "heist/detail/latch_impl.hpp"
