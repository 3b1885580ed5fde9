// Highway's sort by vectors, of numbers on one thread.
#include "bench/sort/sides.hpp"

#if HEIST_BENCH_HIGHWAY

#include <hwy/contrib/sort/vqsort.h>

namespace heist::bench::sorting {

namespace {

struct sorter {
  template <class T>
  static sort_function<T> function() {
    if constexpr (std::is_integral_v<T>)
      return [](T* first, T* last) {
        hwy::Sorter()(first, static_cast<std::size_t>(last - first), hwy::SortAscending());
      };
    else
      return nullptr;
  }
};

}  // namespace

std::vector<side> highway() {
  return {{"Highway", [](unsigned /*threads*/, const auto& function) { function(); },
           all_sort_functions::of<sorter>(), std::chrono::milliseconds(0), false}};
}

}  // namespace heist::bench::sorting

#else

namespace heist::bench::sorting {
std::vector<side> highway() { return {}; }
}  // namespace heist::bench::sorting

#endif
