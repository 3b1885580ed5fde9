// A worker's counters: written by its own thread, read by anyone.
#pragma once

#include <atomic>
#include <cstdint>

#include "heist/stats.hpp"

namespace heist::inline v0::detail {

// Relaxed throughout: each number stands alone and carries nothing. A plain load and store rather
// than a fetch_add, since there is one writer.
class counter_cell {
 public:
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t get() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct counter_cells {
  counter_cell steals, failed_steals, batched, exposes, remote_exposes, reclaims, suspends,
      blocked_joins, roots, parks, wakes, inlined_forks, yields;

  [[nodiscard]] counters snapshot() const noexcept {
    return {.steals = steals.get(),
            .failed_steals = failed_steals.get(),
            .batched = batched.get(),
            .exposes = exposes.get(),
            .remote_exposes = remote_exposes.get(),
            .reclaims = reclaims.get(),
            .suspends = suspends.get(),
            .blocked_joins = blocked_joins.get(),
            .roots = roots.get(),
            .parks = parks.get(),
            .wakes = wakes.get(),
            .inlined_forks = inlined_forks.get(),
            .yields = yields.get()};
  }
};

}  // namespace heist::inline v0::detail
