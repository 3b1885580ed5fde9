// How a loop learns what its iterations cost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heist/detail/chrono.hpp"
#include "heist/detail/requirements.hpp"

namespace heist::inline v0::detail {

// A clock that is cheap to read, in an unspecified unit.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t t;
  asm volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// How many ticks of that clock a chunk should take: 2 to 4 us, enough to make up for reading the
// clock and for a fork.
inline std::uint64_t ticks_per_chunk() noexcept {
#if defined(__x86_64__)
  return 8192;
#elif defined(__aarch64__)
  std::uint64_t frequency;
  asm("mrs %0, cntfrq_el0" : "=r"(frequency));
  return frequency / 400'000 + 1;
#else
  return 2500;
#endif
}

// How many iterations, or elements, take about as long as a chunk should. There is one object for a
// whole loop. Relaxed: what one worker has measured is a hint to the others.
class pace {
 public:
  static constexpr std::size_t max_chunk = 4096;

  // 0: nothing is known yet.
  [[nodiscard]] std::size_t chunk() const noexcept {
    return chunk_.load(std::memory_order_relaxed);
  }
  void remember(std::size_t chunk) noexcept {
    if (this->chunk() != chunk) chunk_.store(chunk, std::memory_order_relaxed);
  }

  // The size of the next chunk, after one that took so many ticks. It grows to what should take a
  // quarter of the aim, since the first iterations of a loop may be much cheaper than the others;
  // and at most 64 times at once, as looking at the clock takes ticks, too.
  static std::size_t after(std::size_t chunk, std::uint64_t took) noexcept {
    const std::uint64_t aim = ticks_per_chunk();
    if (took > 2 * aim) return chunk > 1 ? chunk / 2 : 1;
    if (took > aim / 2 || chunk >= max_chunk) return chunk;
    if (took > aim / 8)
      chunk *= 2;
    else
      chunk *= took > aim / 256 ? static_cast<std::size_t>(aim / (4 * took)) : 64;
    return chunk < max_chunk ? chunk : max_chunk;
  }

 private:
  std::atomic<std::size_t> chunk_{0};
};

}  // namespace heist::inline v0::detail
