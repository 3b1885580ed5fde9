// A mutex of four bytes for the library's own statics, which a child of fork() finds free.
//
// std::mutex would stay locked in the child for ever if another thread held it at the moment of the
// fork. Here the word says in which process it was locked, and a lock of another process doesn't
// count. What the mutex guards must be usable in the state in which another thread may have left it
// in the middle of a section.
//
// Who writes what. word_: any thread, in lock() and unlock().
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/park.hpp"
#include "platform/process.hpp"

namespace heist::inline v0::platform {

// Locked and unlocked by std::lock_guard. It belongs to a thread, not to a fiber.
class process_mutex {
 public:
  constexpr process_mutex() noexcept = default;
  process_mutex(const process_mutex&) = delete;
  process_mutex& operator=(const process_mutex&) = delete;

  void lock() noexcept {
    const std::uint32_t mine = process_generation() << 2;
    std::uint32_t seen = free;
    // Acquire, here and below: partner is the release in unlock().
    if (word_.compare_exchange_strong(seen, mine | held, std::memory_order_acquire,
                                      std::memory_order_relaxed))
      return;
    for (;;) {
      const bool can_be_taken = seen == free || (seen & ~flags) != mine;
      // A thread that has waited leaves the mark that others may wait: one wake-up too many, never
      // one too few.
      if (can_be_taken || seen == (mine | held)) {
        if (!word_.compare_exchange_weak(seen, mine | wanted, std::memory_order_acquire,
                                         std::memory_order_relaxed))
          continue;
        if (can_be_taken) return;
      }
      futex_wait(word_, mine | wanted);
      seen = word_.load(std::memory_order_relaxed);  // stale is safe: it is compared again
    }
  }

  void unlock() noexcept {
    if ((word_.exchange(free, std::memory_order_release) & flags) == wanted) futex_wake(word_, 1);
  }

 private:
  static constexpr std::uint32_t free = 0;
  static constexpr std::uint32_t held = 1;
  static constexpr std::uint32_t wanted = 2;  // held, and somebody may sleep
  static constexpr std::uint32_t flags = 3;   // the process's generation lies above them

  park_word word_{free};
};

}  // namespace heist::inline v0::platform
