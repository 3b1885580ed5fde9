// Mergesort with a parallel merge: both halves are sorted at the same time, then merged in parallel
// too, by cutting the longer one in the middle and the other one where that value belongs. With
// serial merges, one worker alone would make the last merge over all values; with parallel ones the
// span is log^3 n, and there is work for all workers.
//
// Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms, 3rd edition, section 27.3.

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "workloads/forkers.hpp"

namespace heist::workloads {

// Merges the sorted `left` and `right` into `out`, whose size is the sum of theirs.
template <class Fork>
void parallel_merge(std::span<const std::int64_t> left, std::span<const std::int64_t> right,
                    std::span<std::int64_t> out, std::size_t cutoff, Fork fork) {
  if (out.size() <= std::max<std::size_t>(cutoff, 2)) {  // single values cannot be cut further
    std::merge(left.begin(), left.end(), right.begin(), right.end(), out.begin());
    return;
  }
  if (left.size() < right.size()) std::swap(left, right);  // equal integers are indistinguishable
  const auto i = left.size() / 2;
  const auto j = static_cast<std::size_t>(std::lower_bound(right.begin(), right.end(), left[i]) -
                                          right.begin());
  fork(
      [=] { parallel_merge(left.first(i), right.first(j), out.first(i + j), cutoff, fork); },
      [=] { parallel_merge(left.subspan(i), right.subspan(j), out.subspan(i + j), cutoff, fork); });
}

// The array in which the sorted values shall be. Every level of the recursion merges from one array
// into the other, so nothing is copied back.
enum class sorted_into { values, buffer };

// Sorts `values` into the chosen array; the contents of the other one are unspecified.
template <class Fork>
void mergesort(std::span<std::int64_t> values, std::span<std::int64_t> buffer, sorted_into place,
               std::size_t cutoff, Fork fork) {
  if (values.size() <= cutoff || values.size() < 2) {
    std::sort(values.begin(), values.end());
    if (place == sorted_into::buffer) std::copy(values.begin(), values.end(), buffer.begin());
    return;
  }
  const auto other = place == sorted_into::values ? sorted_into::buffer : sorted_into::values;
  const auto half = values.size() / 2;
  fork([=] { mergesort(values.first(half), buffer.first(half), other, cutoff, fork); },
       [=] { mergesort(values.subspan(half), buffer.subspan(half), other, cutoff, fork); });
  const auto from = place == sorted_into::values ? buffer : values;
  const auto to = place == sorted_into::values ? values : buffer;
  parallel_merge(from.first(half), from.subspan(half), to, cutoff, fork);
}

}  // namespace heist::workloads
