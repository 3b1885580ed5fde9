#include <algorithm>

#include "bench/sort/sides.hpp"

namespace heist::bench::sorting {

namespace {

struct sorter {
  template <class T>
  static sort_function<T> function() {
    return [](T* first, T* last) { std::sort(first, last); };
  }
};

}  // namespace

side standard() {
  return {"std::sort", [](unsigned /*threads*/, const auto& function) { function(); },
          all_sort_functions::of<sorter>(), std::chrono::milliseconds(0), false};
}

}  // namespace heist::bench::sorting
