// Where the scheduler measures for pool_histograms: steals, wake-ups, and why a worker is idle. All
// of it on slow paths, and only under stats_kind::timed and full.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/histogram_cells.hpp"

namespace heist::inline v0::detail {

struct worker;
class pool_impl;

// One attempt of a worker to steal.
class measured_steal {
 public:
  explicit measured_steal(const worker& thief) noexcept;
  // It has succeeded, and the thief's counters say so.
  void taken(worker& thief, worker& victim) const noexcept;

 private:
  std_clock::time_point begin_{};
  std::uint64_t batched_ = 0;
};

// Fibers beyond those on which the workers' loops run: they wait for something. Of the moment.
[[nodiscard]] std::uint64_t suspended_fibers(const pool_impl& p) noexcept;

// The reason why the worker has nothing to do, by a look round.
[[nodiscard]] idle_reason why_idle(const worker& w) noexcept;
// Notes it for the worker's histograms.
void look_why_idle(worker& w) noexcept;

// From the decision to wake a worker to the first that is awake. Relaxed: a measurement.
class wake_timer {
 public:
  void begin() noexcept {
    began_.store(std_clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  }
  // Nobody slept.
  void cancel() noexcept { began_.store(0, std::memory_order_relaxed); }
  void arrive(histogram_cell& at) noexcept {
    const std_clock::rep began = began_.exchange(0, std::memory_order_relaxed);
    if (began != 0) at.add(nanoseconds_since(std_clock::time_point(std_clock::duration(began))));
  }

 private:
  std::atomic<std_clock::rep> began_{0};
};

}  // namespace heist::inline v0::detail
