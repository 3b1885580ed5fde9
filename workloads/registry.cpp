#include "workloads/registry.hpp"

#include <algorithm>

namespace heist::workloads {

const std::vector<const workload*>& all() {
  static const std::unique_ptr<const workload> owned[] = {
#ifdef HEIST_FEW_WORKLOADS  // for the tests of the rivals and of the marked programs
      make_fib(), make_nqueens(), make_uts()
#else
      make_fib(),        make_nqueens(),    make_quicksort(),
      make_mergesort(),  make_matmul(),     make_mandelbrot(),
      make_wordcount(),  make_uts(),        make_knapsack(),
      make_graph_walk(), make_skynet(),     make_cilksort(),
      make_samplesort(), make_strassen(),   make_lu(),
      make_fft(),        make_integrate(),  make_heat(),
      make_cholesky(),   make_barnes_hut(), make_bfs(),
      make_pagerank(),   make_kmeans(),     make_filter(),
      make_particles(),  make_mesh(),       make_shortest_paths(),
      make_empty_jobs(), make_job_loop()
#endif
  };
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
