// What heist finds on this machine and in this process's environment.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platform/topology.hpp"

namespace heist::cli {

struct info_report {
  std::string version;
  std::string compiler;
  unsigned workers;            // of a pool without a given number
  std::string workers_source;  // where that number comes from
  int affinity_cpus;
  std::optional<double> quota_cpus;
  std::string quota_source;
  std::string topology;  // one line, or the reason why there is none
  std::string barrier;
  std::size_t stack_bytes;
  std::string stack_source;
};

// Throws usage_error for a HEIST_* variable with an invalid value.
[[nodiscard]] info_report collect_info();

// ---- How long a cache line takes from one processor to another, measured.

struct line_latency {
  std::vector<int> cpus;  // ascending
  // One way, between the processors i and k at [i][k] and [k][i]; nothing: one processor, or the
  // system refused to bind a thread to one of them.
  std::vector<std::vector<std::optional<double>>> ns;
};

// Two threads, each bound to a processor, write one line in turn: for each pair of processors for
// so long, of which the best of ten parts counts, since whatever else runs there only adds to it.
// Threads that the system refuses end it with a resource_error. The calling thread isn't bound.
[[nodiscard]] line_latency measure_line_latency(std::vector<int> cpus,
                                                std::chrono::microseconds pair);

// A table of numbers for up to 16 processors, and beyond that a picture with a letter for each
// pair; then the pairs of each distance that the topology knows, if there is one.
[[nodiscard]] std::string picture(const line_latency& of, const platform::topology* shape);

}  // namespace heist::cli
