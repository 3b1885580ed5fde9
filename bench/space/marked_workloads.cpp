#include "bench/space/marked_workloads.hpp"

#include <algorithm>

#include <heist/error.hpp>

#include "bench/memory/child.hpp"

namespace heist::bench {

double extents::with_joins(unsigned workers, double join_bytes) const {
  if (marked <= 0) throw resource_error("space: the run marked nothing");
  // A small run may use fewer stacks than there are workers.
  return marked + std::max(stacks - workers, 0.0) * join_bytes;
}

std::vector<marked_workload> marked_workloads(scale of) {
  if (of == scale::quick)
    return {{"fib", {"n", "15"}}, {"nqueens", {"n", "7"}}, {"uts", {"tree", "tiny"}}};
  return {{"fib", {"n", "25"}},
          {"nqueens", {"n", "11"}},
          {"quicksort", {"size", "200000"}},
          {"mergesort", {"size", "200000"}},
          {"matmul", {"n", "256"}},
          {"mandelbrot", {"width", "300", "height", "200"}},
          {"wordcount", {"size", "1000000"}},
          {"uts", {"tree", "T1"}}};
}

extents marked_workload::measure(const std::string& probe, unsigned workers) const {
  std::vector<std::string> arguments = {name, std::to_string(workers)};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto printed = output_of(probe, arguments);
  if (number_in(printed, "right") != 1) throw wrong_result(name + ": not the serial result");
  const auto number = [&printed](const char* key) {
    return static_cast<double>(number_in(printed, key));
  };
  return {number("marked"), number("largest"), number("stacks")};
}

std::string find_space_probe(const workloads::option_values& values) {
  return program_of(values, "probe", "heist-space-probe");
}

}  // namespace heist::bench
