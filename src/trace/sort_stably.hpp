// sort_stably: std::stable_sort of a vector, without its temporary buffer. libstdc++ 12 takes that
// buffer from std::get_temporary_buffer, whose use clang 19 reports as deprecated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace heist::trace {

// Sorts `v` by `less`; equal elements keep their order. Needs memory for a second vector and for
// one index an element. Throws std::bad_alloc, and then `v` is as it was. Cost: O(n log n).
template <class T, class Less>
void sort_stably(std::vector<T>& v, Less less) {
  std::vector<std::size_t> order(v.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<T> sorted;
  sorted.reserve(v.size());
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    return less(v[x], v[y]) || (!less(v[y], v[x]) && x < y);
  });
  for (const std::size_t i : order) sorted.push_back(std::move(v[i]));
  v = std::move(sorted);
}

}  // namespace heist::trace
