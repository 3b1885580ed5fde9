#include "workloads/registry.hpp"

#include <algorithm>

namespace heist::workloads {

const std::vector<const workload*>& all() {
  static const std::unique_ptr<const workload> owned[] = {
      make_fib(),        make_nqueens(),   make_quicksort(),  make_mergesort(), make_matmul(),
      make_mandelbrot(), make_wordcount(), make_uts(),        make_knapsack(),  make_graph_walk(),
      make_skynet(),     make_cilksort(),  make_samplesort(), make_strassen(),  make_lu(),
      make_fft(),        make_integrate()};
  static const auto pointers = [] {
    std::vector<const workload*> list;
    for (const auto& each : owned) list.push_back(each.get());
    return list;
  }();
  return pointers;
}

const workload* find(std::string_view name) {
  const auto found = std::find_if(all().begin(), all().end(),
                                  [&](const workload* each) { return each->name() == name; });
  return found == all().end() ? nullptr : *found;
}

}  // namespace heist::workloads
