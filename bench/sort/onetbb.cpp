#include "bench/sort/sides.hpp"

#if HEIST_BENCH_ONETBB

#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

namespace heist::bench::sorting {

namespace {

struct sorter {
  template <class T>
  static sort_function<T> function() {
    return [](T* first, T* last) { tbb::parallel_sort(first, last); };
  }
};

void within(unsigned threads, const std::function<void()>& function) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute(function);
}

}  // namespace

std::vector<side> onetbb() { return {{"oneTBB", &within, all_sort_functions::of<sorter>()}}; }

}  // namespace heist::bench::sorting

#else

namespace heist::bench::sorting {
std::vector<side> onetbb() { return {}; }
}  // namespace heist::bench::sorting

#endif
