// The sorts of one thread: std's, and Highway's by vectors, which sorts numbers only.
#include <algorithm>

#include "bench/sort/sides.hpp"

#if HEIST_BENCH_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace heist::bench::sorting {

namespace {

struct sorter {
  template <class T>
  static sort_function<T> function() {
    return [](T* first, T* last) { std::sort(first, last); };
  }
};

template <class Sorter>
side on_one_thread(const char* name) {
  return {name, [](unsigned /*threads*/, const auto& function) { function(); },
          all_sort_functions::of<Sorter>(), std::chrono::milliseconds(0), false};
}

#if HEIST_BENCH_HIGHWAY
struct vector_sorter {
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
#endif

}  // namespace

side standard() { return on_one_thread<sorter>("std::sort"); }

#if HEIST_BENCH_HIGHWAY
std::vector<side> highway() { return {on_one_thread<vector_sorter>("Highway")}; }
#else
std::vector<side> highway() { return {}; }
#endif

}  // namespace heist::bench::sorting
