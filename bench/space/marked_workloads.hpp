// The stacks of the workloads themselves, which heist-space-probe runs with every function marked.
#pragma once

#include <string>
#include <vector>

#include "bench/benchmark.hpp"

namespace heist::bench {

// The bytes and stacks that a run on a given number of workers spanned.
struct extents {
  double marked;   // the peak of the sums over all fibers
  double largest;  // of one stack
  double stacks;   // in use at one time, at most

  // At least what the run spanned: each stack beyond one for each worker holds a suspended join
  // too, below what is marked. Throws resource_error if nothing was marked.
  [[nodiscard]] double with_joins(unsigned workers, double join_bytes) const;
};

struct marked_workload {
  std::string name;
  std::vector<std::string> options;  // names and values, in turn

  // Runs `probe` in a process of its own. Throws wrong_result, resource_error.
  [[nodiscard]] extents measure(const std::string& probe, unsigned workers) const;
};

// Workloads, at sizes that take a second or so; quick: those of heist-space-probe-few.
[[nodiscard]] std::vector<marked_workload> marked_workloads(scale of);

// The path of the probe, as the option "probe" says or in the folder of the running program; empty
// if there is none there.
[[nodiscard]] std::string find_space_probe(const workloads::option_values& values);

}  // namespace heist::bench
