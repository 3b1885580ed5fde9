// One factory for each workload's folder. A list by hand: objects that register themselves vanish
// when a linker takes only the members of a static library that somebody names.

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

}  // namespace heist::workloads
