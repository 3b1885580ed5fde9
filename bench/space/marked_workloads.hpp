// The stacks of the workloads themselves, which heist-space-probe runs with every function marked.
#pragma once

#include <string>
#include <vector>

#include "bench/benchmark.hpp"

namespace heist::bench {

// What a run on so many workers spanned, in bytes and stacks.
struct extents {
  double marked;   // the peak of the sums over all fibers
  double largest;  // of one stack
  double stacks;   // in use at one time, at most
};

struct marked_workload {
  std::string name;
  std::vector<std::string> options;  // names and values, in turn

  // By `probe`, in a process of its own. Throws wrong_result, resource_error.
  [[nodiscard]] extents measure(const std::string& probe, unsigned workers) const;
};

// Every workload, at sizes that take a second or so.
[[nodiscard]] std::vector<marked_workload> marked_workloads(scale of);

// The probe beside the program that runs; empty if it isn't there (the sanitizers' builds have none).
[[nodiscard]] std::string find_space_probe();

}  // namespace heist::bench
