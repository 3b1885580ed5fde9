// The parallel mode of libstdc++. Its sort is a multiway mergesort on OpenMP.
#include "bench/api/kernels.hpp"

#if HEIST_BENCH_OPENMP && __has_include(<parallel/algorithm>)

#if defined(__clang__)  // the library uses what it declares as deprecated
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#endif

#include <omp.h>
#include <parallel/algorithm>

namespace heist::bench::api {

namespace {

void within(unsigned threads, const std::function<void()>& function) {
  omp_set_num_threads(static_cast<int>(threads));
  function();
}

void sort(std::int64_t* x, std::size_t n) { __gnu_parallel::sort(x, x + n); }

}  // namespace

std::vector<kernels> gnu_parallel() {
  kernels result{"GNU parallel mode", &within};
  result.sort = &sort;
  result.spins = openmp_spins;
  return {result};
}

}  // namespace heist::bench::api

#else

namespace heist::bench::api {
std::vector<kernels> gnu_parallel() { return {}; }
}  // namespace heist::bench::api

#endif
