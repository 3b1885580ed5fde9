// The tables of `heist bench api`, each in a source file of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/api/field.hpp"
#include "bench/benchmark.hpp"
#include "bench/rounds.hpp"

namespace heist::bench::api {

// The libraries that take part, and the pools that they run on.
struct participants {
  explicit participants(unsigned all_workers);
  participants(const participants&) = delete;
  participants& operator=(const participants&) = delete;

  // A field that has been played by all libraries that solve the problem, on one worker and on all
  // of them.
  struct played {
    std::unique_ptr<field> of;
    const contestant* ours_on_one = nullptr;
    const contestant* ours_on_all = nullptr;
    std::vector<const contestant*> rivals_on_all;
  };
  [[nodiscard]] played play(problem what, const settings& with, bool on_one_too = true);

  unsigned workers;
  whole_pool one;
  std::unique_ptr<whole_pool> many;  // none for one worker
  kernels serial;
  kernels ours;
  std::vector<kernels> rivals;
};

// The target for heist on all workers relative to the fastest rival; the limit is a ratio.
[[nodiscard]] target against_rivals(const participants::played& f, double limit);

// Loops and algorithms, compared with those of the rivals.
struct algorithm_sizes {
  std::size_t loop, uneven, tiny_times, array, sort;
};
void algorithms_table(results& into, participants& by, const algorithm_sizes& sizes,
                      const settings& with);

// The cost of a loop on one worker beyond that of the plain loop, for 10^3 to `most` iterations.
void one_worker_table(results& into, participants& by, std::size_t most, const settings& with);

// Loops of 1 to `most` iterations that take 0 ns to 1 ms each, where the loop does not exceed a
// cell's limit.
void sweep_table(results& into, participants& by, std::size_t most, double cell_limit_s,
                 const settings& with);

// Locks and futures without contention, and a mutex that all workers want.
void locks_table(results& into, participants& by, std::size_t times, const settings& with);

// A graph of empty functions with two dependencies each.
void graph_table(results& into, participants& by, std::size_t nodes, const settings& with);

}  // namespace heist::bench::api
