// The parallel mode of libstdc++, whose sort is a multiway mergesort on OpenMP. It copies elements,
// so it can't sort those that can only be moved.
#include "bench/sort/sides.hpp"

#if HEIST_BENCH_OPENMP && __has_include(<parallel/algorithm>)

#if defined(__clang__)  // the library uses what it declares as deprecated
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#endif

#include <omp.h>
#include <parallel/algorithm>

#include "bench/api/kernels.hpp"

namespace heist::bench::sorting {

namespace {

struct sorter {
  template <class T>
  static sort_function<T> function() {
    if constexpr (std::is_copy_constructible_v<T>)
      return [](T* first, T* last) { __gnu_parallel::sort(first, last); };
    else
      return nullptr;
  }
};

void within(unsigned threads, const std::function<void()>& function) {
  omp_set_num_threads(static_cast<int>(threads));
  function();
}

}  // namespace

std::vector<side> gnu_parallel() {
  return {{"GNU parallel mode", &within, all_sort_functions::of<sorter>(),
           std::chrono::milliseconds(20) + api::openmp_spins}};
}

}  // namespace heist::bench::sorting

#else

namespace heist::bench::sorting {
std::vector<side> gnu_parallel() { return {}; }
}  // namespace heist::bench::sorting

#endif
