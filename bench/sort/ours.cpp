#include <algorithm>

#include <heist/sort.hpp>

#include "bench/sort/sides.hpp"

namespace heist::bench::sorting {

namespace {

struct sorter {
  template <class T>
  static sort_function<T> function() {
    return [](T* first, T* last) { heist::sort(first, last); };
  }
};

}  // namespace

side ours(std::vector<pool*> pools) {
  return {"heist",
          [pools = std::move(pools)](unsigned threads, const auto& function) {
            (*std::find_if(pools.begin(), pools.end(), [=](const pool* p) {
              return p->workers() == threads;
            }))->run(function);
          },
          all_sort_functions::of<sorter>()};
}

}  // namespace heist::bench::sorting
