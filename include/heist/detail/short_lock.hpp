// A lock of four bytes for sections of a few instructions, in which nothing may wait.
//
// Its holder is a thread, not a fiber. A thread that finds it locked pauses for a moment and then
// sleeps, since the holder may have lost its processor.
#pragma once

#include <atomic>
#include <cstdint>

#include "heist/detail/export.hpp"

namespace heist::inline v0::detail {

class short_lock {
 public:
  constexpr short_lock() noexcept = default;
  short_lock(const short_lock&) = delete;
  short_lock& operator=(const short_lock&) = delete;

  void lock() noexcept {
    std::uint32_t seen = free;
    // Acquire: partner in unlock().
    if (!word_.compare_exchange_strong(seen, held, std::memory_order_acquire,
                                       std::memory_order_relaxed))
      lock_slow();
  }
  // As soon as it is free the lock may be destroyed. The wake-up after that is harmless: on an
  // address where nobody waits it does nothing.
  void unlock() noexcept {
    // Release: partners in lock() and lock_slow().
    if (word_.exchange(free, std::memory_order_release) == held_and_wanted) wake();
  }

 private:
  static constexpr std::uint32_t free = 0;
  static constexpr std::uint32_t held = 1;
  static constexpr std::uint32_t held_and_wanted = 2;  // somebody may sleep

  HEIST_API void lock_slow() noexcept;
  HEIST_API void wake() noexcept;

  std::atomic<std::uint32_t> word_{free};
};

}  // namespace heist::inline v0::detail
