// The serial sort of small arrays: quicksort with the median of three as its pivot, and insertion
// for the last few values. Cilk's sort has its own, where another would call std::sort.
//
// R. Sedgewick: Implementing Quicksort Programs (CACM 21, 1978).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace heist::workloads {

// Up to this many values, insertion is faster than a partition.
inline constexpr std::size_t inserted_values = 20;

inline void insertion_sort(std::span<std::int64_t> values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto value = values[i];
    auto at = i;
    for (; at > 0 && values[at - 1] > value; --at) values[at] = values[at - 1];
    values[at] = value;
  }
}

// Divides the values so that none in the first part is greater than one in the second; returns the
// size of the first part, which is neither empty nor all. At least three values.
inline std::size_t partition_around_median(std::span<std::int64_t> values) {
  const auto first = values.front();
  const auto middle = values[values.size() / 2];
  const auto last = values.back();
  const auto pivot = std::max(std::min(first, middle), std::min(std::max(first, middle), last));
  std::size_t low = 0;
  std::size_t high = values.size() - 1;
  while (true) {
    while (values[low] < pivot) ++low;
    while (values[high] > pivot) --high;
    if (low >= high) return high + 1;
    std::swap(values[low++], values[high--]);
  }
}

// `levels_left` falls with every partition. For an input that defeats the pivots, a heap sorts what
// is left, in n log n.
inline void quick_sort(std::span<std::int64_t> values, int levels_left) {
  for (; values.size() > inserted_values; --levels_left) {
    if (levels_left == 0) {
      std::make_heap(values.begin(), values.end());
      return std::sort_heap(values.begin(), values.end());
    }
    const auto first_part = partition_around_median(values);
    quick_sort(values.first(first_part), levels_left - 1);
    values = values.subspan(first_part);
  }
  insertion_sort(values);
}

inline void quick_sort(std::span<std::int64_t> values) {
  quick_sort(values, 2 * static_cast<int>(std::bit_width(values.size())));
}

}  // namespace heist::workloads
