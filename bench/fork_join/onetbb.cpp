// oneTBB as its documentation shows the recursion: a task_group with one task, and parallel_invoke.
#include "bench/fork_join/fib.hpp"

#if HEIST_BENCH_ONETBB

#include <tbb/global_control.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace heist::bench::onetbb {

namespace {

std::size_t task_group_fib(std::size_t n) {
  if (n < 2) return n;
  std::size_t a = 0;
  tbb::task_group group;
  group.run([&a, n] { a = task_group_fib(n - 1); });
  const std::size_t b = task_group_fib(n - 2);
  group.wait();
  return a + b;
}

std::size_t parallel_invoke_fib(std::size_t n) {
  if (n < 2) return n;
  std::size_t a = 0;
  std::size_t b = 0;
  tbb::parallel_invoke([&a, n] { a = parallel_invoke_fib(n - 1); },
                       [&b, n] { b = parallel_invoke_fib(n - 2); });
  return a + b;
}

std::size_t run(std::size_t (*fib)(std::size_t), std::size_t n, unsigned threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  return arena.execute([=] { return fib(n); });
}

}  // namespace

bool is_built_in() { return true; }

std::size_t fib_by_task_group(std::size_t n, unsigned threads) {
  return run(&task_group_fib, n, threads);
}

std::size_t fib_by_parallel_invoke(std::size_t n, unsigned threads) {
  return run(&parallel_invoke_fib, n, threads);
}

}  // namespace heist::bench::onetbb

#else

namespace heist::bench::onetbb {

bool is_built_in() { return false; }
std::size_t fib_by_task_group(std::size_t, unsigned) { return 0; }
std::size_t fib_by_parallel_invoke(std::size_t, unsigned) { return 0; }

}  // namespace heist::bench::onetbb

#endif
