// The machinery of <heist/sync/latch.hpp>: the operations that wait for nobody.
#pragma once

#include <atomic>
#include <cstddef>

#include "heist/detail/race.hpp"
#include "heist/sync/latch.hpp"

namespace heist::inline v0 {

inline void latch::count_down(std::ptrdiff_t n) noexcept {
  detail::race::order(this, detail::race::message::told);
  const std::ptrdiff_t left = [&] {
    const detail::race::unseen own;
    // Release and acquire: the waiters that the last count_down() wakes see what happened before
    // each of them.
    return state_.fetch_sub(n * one, std::memory_order_acq_rel) - n * one;
  }();
  if (left == has_waiters) [[unlikely]]
    wake();
}

inline bool latch::try_wait() const noexcept {
  // Acquire: partners are the count_down()s.
  const bool is_over = state_.load(std::memory_order_acquire) < one;
  if (is_over) detail::race::order(this, detail::race::message::heard);
  return is_over;
}

inline void latch::wait() noexcept {
  if (try_wait()) return;
  wait_slow();
  detail::race::order(this, detail::race::message::heard);
}

inline void latch::arrive_and_wait(std::ptrdiff_t n) noexcept {
  count_down(n);
  wait();
}

}  // namespace heist::inline v0
