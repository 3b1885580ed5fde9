// The part of a counting_semaphore that doesn't depend on its greatest count.
#pragma once

#include <atomic>
#include <cstddef>

#include "heist/detail/alarm.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/race.hpp"
#include "heist/detail/wait_checks.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0::detail {

class HEIST_API semaphore {
 public:
  // Throws usage_error for a count that is negative or above max.
  semaphore(std::ptrdiff_t count, std::ptrdiff_t max, place made);
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  void acquire() noexcept {
    if (take_one() <= 0) [[unlikely]]
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
  // Throws usage_error for a negative number. As soon as a waiter has got its permit, *this may be
  // gone.
  void release(std::ptrdiff_t n) {
    if (n < 0) [[unlikely]]
      refuse(n);
    // Release: partners in acquire() and try_acquire().
    const std::ptrdiff_t before = count_.fetch_add(n, std::memory_order_release);
    if (before < 0) [[unlikely]]
      hand_over(n < -before ? n : -before);
  }

 private:
  // How many permits there were. Acquire: partner in release(). A count below zero says how many
  // wait.
  std::ptrdiff_t take_one() noexcept {
    const race::unseen own;
    return count_.fetch_sub(1, std::memory_order_acquire);
  }
  [[noreturn]] static void refuse(std::ptrdiff_t n);
  friend timed_waiter<semaphore>;
  void acquire_slow() noexcept;
  // True if the waiter is listed now, false if there was a permit for it.
  bool list(waiter& w) noexcept;
  bool give_up(waiter& w) noexcept;
  void hand_over(std::ptrdiff_t n) noexcept;

  // Permits; below zero: how many wait, less those for whom `handed_` has a permit.
  std::atomic<std::ptrdiff_t> count_;
  short_lock guard_;
  // Guarded by guard_, as is waiters_: permits for waiters that aren't listed yet.
  std::ptrdiff_t handed_ = 0;
  waiter_list waiters_;
};

}  // namespace heist::inline v0::detail
