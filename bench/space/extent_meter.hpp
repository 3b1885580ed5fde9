// How many bytes of stack a program spans, over all its fibers together: extents, from a stack's top
// to where it has grown to, whether the pages in between were touched or not.
//
// The program marks where it is: at each function's entry, after a fork's first function has
// returned (there the fiber may be suspended until the second one is done), and at the end of a
// second function (which may have run on another fiber). A mark sets the extent of the fiber that
// runs; in between, a fiber counts with its last mark, so that the sum is that of one moment, or
// larger: a fiber that has ended keeps what its last mark said.
//
// Marks are by any worker; a fiber's cell is written by whoever runs the fiber, one at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heist::bench {

class extent_meter {
 public:
  // Does not count the first `below` bytes of each stack: bytes_of_loop(), which aren't the program's.
  explicit extent_meter(std::size_t below) noexcept : below_(static_cast<std::int64_t>(below)) {}

  // On a fiber. Out of line, so that the caller's whole frame lies above.
  [[gnu::noinline]] void mark() noexcept;

  // The largest sum so far, in bytes.
  [[nodiscard]] std::size_t peak() const noexcept {
    // Relaxed: read when the program has ended.
    return static_cast<std::size_t>(peak_.load(std::memory_order_relaxed));
  }
  // The largest extent of a single fiber so far.
  [[nodiscard]] std::size_t largest() const noexcept {
    return static_cast<std::size_t>(largest_.load(std::memory_order_relaxed));
  }
  // More fibers than there are cells: the figures are too small.
  [[nodiscard]] bool has_overflowed() const noexcept {
    return overflowed_.load(std::memory_order_relaxed);
  }

 private:
  struct cell {
    std::atomic<const void*> fiber{nullptr};
    std::atomic<std::int64_t> extent{0};
  };
  static constexpr std::size_t cells = std::size_t{1} << 14;  // fibers

  cell* find(const void* fiber) noexcept;

  const std::int64_t below_;
  std::array<cell, cells> cells_{};  // open addressing; a fiber keeps its cell
  std::atomic<std::int64_t> total_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::int64_t> largest_{0};
  std::atomic<bool> overflowed_{false};
};

// Bytes of a fiber's stack above the first frame of what a worker's loop calls: the scheduler's. Measured once for
// a stolen function and for one that enters the pool; the smaller.
[[nodiscard]] std::size_t bytes_of_loop();

// Bytes that a join spans that suspends its fiber, below the frame that forked: measured once, on a
// pool of its own. No mark can see them, as the fiber doesn't run then.
[[nodiscard]] std::size_t bytes_of_suspended_join();

}  // namespace heist::bench
