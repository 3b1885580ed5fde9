// One factory for each workload's folder. The list is written by hand, because a linker takes only
// those members of a static library that are referenced, and would drop objects that register
// themselves.

#pragma once

#include <memory>

#include "workloads/workload.hpp"

namespace heist::workloads {

std::unique_ptr<const workload> make_fib();
std::unique_ptr<const workload> make_nqueens();
std::unique_ptr<const workload> make_quicksort();
std::unique_ptr<const workload> make_mergesort();
std::unique_ptr<const workload> make_matmul();
std::unique_ptr<const workload> make_mandelbrot();
std::unique_ptr<const workload> make_wordcount();
std::unique_ptr<const workload> make_uts();
std::unique_ptr<const workload> make_knapsack();
std::unique_ptr<const workload> make_graph_walk();
std::unique_ptr<const workload> make_skynet();
std::unique_ptr<const workload> make_cilksort();
std::unique_ptr<const workload> make_samplesort();
std::unique_ptr<const workload> make_strassen();
std::unique_ptr<const workload> make_lu();
std::unique_ptr<const workload> make_fft();
std::unique_ptr<const workload> make_integrate();
std::unique_ptr<const workload> make_heat();
std::unique_ptr<const workload> make_cholesky();
std::unique_ptr<const workload> make_barnes_hut();
std::unique_ptr<const workload> make_bfs();
std::unique_ptr<const workload> make_pagerank();
std::unique_ptr<const workload> make_kmeans();
std::unique_ptr<const workload> make_filter();
std::unique_ptr<const workload> make_particles();
std::unique_ptr<const workload> make_mesh();
std::unique_ptr<const workload> make_shortest_paths();
std::unique_ptr<const workload> make_empty_jobs();
std::unique_ptr<const workload> make_job_loop();

}  // namespace heist::workloads
