// OpenMP tasks: one task for the first half, then taskwait.
#include "bench/fork_join/fib.hpp"

#if HEIST_BENCH_OPENMP

namespace heist::bench::openmp {

namespace {

std::size_t task_fib(std::size_t n) {
  if (n < 2) return n;
  std::size_t a = 0;
#pragma omp task shared(a) firstprivate(n) default(none)
  a = task_fib(n - 1);
  const std::size_t b = task_fib(n - 2);
#pragma omp taskwait
  return a + b;
}

}  // namespace

bool is_built_in() { return true; }

std::size_t fib_by_tasks(std::size_t n, unsigned threads) {
  std::size_t result = 0;
#pragma omp parallel num_threads(threads) shared(result) firstprivate(n) default(none)
#pragma omp single
  result = task_fib(n);
  return result;
}

}  // namespace heist::bench::openmp

#else

namespace heist::bench::openmp {

bool is_built_in() { return false; }
std::size_t fib_by_tasks(std::size_t, unsigned) { return 0; }

}  // namespace heist::bench::openmp

#endif
