// The machinery of <heist/sync/latch.hpp>: the operations that wait for nobody.
#pragma once

#include <atomic>
#include <cstddef>

#include "heist/sync/latch.hpp"

namespace heist::inline v0 {

inline void latch::count_down(std::ptrdiff_t n) noexcept {
  // Release and acquire: the waiters that the last count_down() wakes see what happened before
  // each of them.
  const std::ptrdiff_t left = state_.fetch_sub(n * one, std::memory_order_acq_rel) - n * one;
  if (left == has_waiters) [[unlikely]]
    wake();
}

inline bool latch::try_wait() const noexcept {
  // Acquire: partners are the count_down()s.
  return state_.load(std::memory_order_acquire) < one;
}

inline void latch::wait() noexcept {
  if (!try_wait()) wait_slow();
}

inline void latch::arrive_and_wait(std::ptrdiff_t n) noexcept {
  count_down(n);
  wait();
}

}  // namespace heist::inline v0
