// How long a pool's wake-ups take, and so how long a worker should look for work before it sleeps.
//
// A worker that sleeps too early pays for a wake-up, one that sleeps too late for looking. If it
// looks for as long as a wake-up takes, it never pays more than twice what it would have paid had
// it known when work comes; no other fixed time promises as much (the ski-rental problem; for
// spinning: Karlin, Li, Manasse and Owicki, 1991). What a wake-up takes depends on the machine
// more than on anything, virtual or not. So each pool measures it, from the waker's decision to the
// woken thread.
//
// Who writes what. began_: wakers, and the one that wakes up. average_: the one that wakes up. All
// relaxed: estimates.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <type_traits>

#include "platform/cpu.hpp"

namespace heist::inline v0::detail {

class wake_cost {
 public:
  using clock = std::chrono::steady_clock;
  using nanoseconds = std::chrono::nanoseconds;

  // The bounds of the estimate. A thread that finds its processor taken comes late, and that is not
  // what a wake-up costs.
  static constexpr nanoseconds least = std::chrono::microseconds(10);
  static constexpr nanoseconds greatest = std::chrono::microseconds(100);

  // By the waker, before it wakes one.
  void begin(clock::time_point now = clock::now()) noexcept {
    began_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  // By a thread that has slept. Of several that were woken the first one counts.
  void arrive(clock::time_point now = clock::now()) noexcept {
    // The look saves the line from the writes of those who come after the first.
    if (began_.load(std::memory_order_relaxed) == 0) return;
    const std::int64_t began = began_.exchange(0, std::memory_order_relaxed);
    if (began == 0) return;
    const nanoseconds took =
        std::clamp(nanoseconds(now.time_since_epoch().count() - began), least, greatest);
    const std::int64_t before = average_.load(std::memory_order_relaxed);
    average_.store(before + (took.count() - before) / 8, std::memory_order_relaxed);
  }

  // The time of a wake-up, averaged over the last ones.
  [[nodiscard]] nanoseconds average() const noexcept {
    return nanoseconds(average_.load(std::memory_order_relaxed));
  }

 private:
  static_assert(std::is_same_v<clock::duration, nanoseconds>);

  alignas(platform::cache_line_bytes) std::atomic<std::int64_t> began_{0};
  alignas(platform::cache_line_bytes) std::atomic<std::int64_t> average_{
      nanoseconds(std::chrono::microseconds(20)).count()};
};

}  // namespace heist::inline v0::detail
