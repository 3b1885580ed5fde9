// Measures how many bytes of stack a program spans over all its fibers. An extent reaches from a
// stack's top to the point to which it has grown, whether the pages in between were touched or not.
//
// The program marks its position at each function's entry, after a fork's first function has
// returned (there the fiber may be suspended until the second one is done), and at the end of a
// second function (which may have run on another fiber). A mark sets the extent of the running
// fiber; between marks, a fiber counts with its last mark. The sum is therefore that of one moment,
// or larger, because a fiber that has ended keeps the extent of its last mark.
//
// Any worker makes marks; a fiber's cell is written by the worker that runs the fiber, one at a
// time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heist::bench {

class extent_meter {
 public:
  // The first `below` bytes of each stack are not counted: bytes_of_loop(), which do not belong to
  // the program.
  explicit extent_meter(std::size_t below) noexcept : below_(static_cast<std::int64_t>(below)) {}

  // Call this on a fiber. It is out of line, so that the caller's whole frame lies above its own.
  [[gnu::noinline]] void mark() noexcept;

  // The largest sum so far, in bytes.
  [[nodiscard]] std::size_t peak() const noexcept {
    // Relaxed: the value is read when the program has ended.
    return static_cast<std::size_t>(peak_.load(std::memory_order_relaxed));
  }
  // The largest extent of a single fiber so far.
  [[nodiscard]] std::size_t largest() const noexcept {
    return static_cast<std::size_t>(largest_.load(std::memory_order_relaxed));
  }
  // True if there were more fibers than cells; then the figures are too small.
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

// The bytes of a fiber's stack that belong to the scheduler, above the first frame of the function
// that a worker's loop calls. They are measured once for a stolen function and once for one that
// enters the pool; the result is the smaller value.
[[nodiscard]] std::size_t bytes_of_loop();

// The bytes that a join which suspends its fiber spans below the frame that forked. They are
// measured once, on a separate pool. No mark can see them, because the fiber does not run then.
[[nodiscard]] std::size_t bytes_of_suspended_join();

}  // namespace heist::bench
