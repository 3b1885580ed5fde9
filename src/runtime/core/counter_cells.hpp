// A worker's counters: written by its own thread, read by anyone.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "heist/stats.hpp"

namespace heist::inline v0::detail {

// Relaxed throughout: each number stands alone and carries nothing. add() is a plain load and store
// rather than a fetch_add, since there is one writer.
class counter_cell {
 public:
  [[gnu::always_inline]] void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  // For a cell that several threads write.
  void add_shared(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t get() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct counter_cells {
  counter_cell steals, failed_steals, failed_batch_steals, batched, exposes, remote_exposes,
      reclaims, suspends, blocked_joins, roots, parks, naps, wakes, inlined_forks, yields,
      failed_takes;
  std::array<counter_cell, counters::size_classes> steals_by_size;
  // Under stats_kind::full. Takes from a split deque are calls of nothing: what was put and wasn't
  // lost to others was taken.
  counter_cell puts, takes;
  counter_cell lost;  // by a split deque: taken by thieves, which write it, or left behind

  [[nodiscard]] counters snapshot() const noexcept {
    counters c{.steals = steals.get(),
               .failed_steals = failed_steals.get(),
               .failed_batch_steals = failed_batch_steals.get(),
               .batched = batched.get(),
               .exposes = exposes.get(),
               .remote_exposes = remote_exposes.get(),
               .reclaims = reclaims.get(),
               .suspends = suspends.get(),
               .blocked_joins = blocked_joins.get(),
               .roots = roots.get(),
               .parks = parks.get(),
               .naps = naps.get(),
               .wakes = wakes.get(),
               .inlined_forks = inlined_forks.get(),
               .yields = yields.get(),
               .puts = puts.get(),
               .takes = takes.get(),
               .failed_takes = failed_takes.get()};
    for (std::size_t i = 0; i < counters::size_classes; ++i)
      c.steals_by_size[i] = steals_by_size[i].get();
    return c;
  }
};

}  // namespace heist::inline v0::detail
