// How long a cache line takes from one processor to another, measured.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platform/topology.hpp"

namespace heist::cli {

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
