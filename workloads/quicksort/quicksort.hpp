// Quicksort partitions, then sorts the two sides at the same time. Each partition is a serial pass,
// the first one over all values, so the parallelism is only about log2(n). This tests how the
// runtime behaves when there is less work than workers.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "workloads/forkers.hpp"

namespace heist::workloads {

// The median of three medians of three (Tukey's ninther), taken from the whole range, so that it
// halves sorted, reversed and organ-pipe inputs.
inline std::int64_t choose_pivot(std::span<const std::int64_t> values) {
  const auto median = [](std::int64_t a, std::int64_t b, std::int64_t c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  };
  const auto step = values.size() / 9;
  const auto at = [&](std::size_t i) { return values[i * step + step / 2]; };
  return median(median(at(0), at(3), at(6)), median(at(1), at(4), at(7)),
                median(at(2), at(5), at(8)));
}

// `levels_left` falls with every partition. For an input that defeats the pivots, the standard
// library sorts the remaining values in n log n, instead of a recursion of n frames.
template <class Fork>
void quicksort(std::span<std::int64_t> values, std::size_t cutoff, int levels_left, Fork fork) {
  if (values.size() <= cutoff || values.size() < 9 || levels_left == 0) {
    std::sort(values.begin(), values.end());
    return;
  }
  const auto pivot = choose_pivot(values);
  const auto split_off = [&](auto belongs_left) {
    const auto middle = std::partition(values.begin(), values.end(), belongs_left);
    return static_cast<std::size_t>(middle - values.begin());
  };
  const auto less = split_off([=](std::int64_t x) { return x < pivot; });
  if (less == 0) {  // the pivot is the least: it and its equals only have to be moved to the front
    const auto equal = split_off([=](std::int64_t x) { return x == pivot; });
    return quicksort(values.subspan(equal), cutoff, levels_left - 1, fork);
  }
  fork([=] { quicksort(values.first(less), cutoff, levels_left - 1, fork); },
       [=] { quicksort(values.subspan(less), cutoff, levels_left - 1, fork); });
}

template <class Fork>
void quicksort(std::span<std::int64_t> values, std::size_t cutoff, Fork fork) {
  quicksort(values, cutoff, 2 * static_cast<int>(std::bit_width(values.size())), fork);
}

}  // namespace heist::workloads
