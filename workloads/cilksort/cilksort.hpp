// Cilk's sort: four quarters are sorted at the same time, then merged in pairs at the same time
// into the buffer, and the two halves from there back into the array. A level of the recursion has
// two merges where mergesort needs two levels, and the values are always back where they were.
//
// The program: cilksort of the Cilk distribution (Frigo, Leiserson, Randall 1998). The merge: S. G.
// Akl, N. Santoro, Optimal Parallel Merging and Sorting Without Memory Conflicts (IEEE Transactions
// on Computers 36, 1987), which mergesort uses, too.
#pragma once

#include <cstdint>
#include <span>

#include "workloads/cilksort/quick.hpp"
#include "workloads/forkers.hpp"
#include "workloads/mergesort/mergesort.hpp"

namespace heist::workloads {

// Sorts `values` in place. The buffer has their size; its contents are unspecified.
template <class Fork>
void cilksort(std::span<std::int64_t> values, std::span<std::int64_t> buffer, std::size_t cutoff,
              Fork fork) {
  const auto quarter = values.size() / 4;
  if (values.size() <= cutoff || quarter == 0) return quick_sort(values);
  const auto half = 2 * quarter;
  const auto sort_part = [=](std::size_t first, std::size_t size) {
    return
        [=] { cilksort(values.subspan(first, size), buffer.subspan(first, size), cutoff, fork); };
  };
  const auto rest = values.size() - half - quarter;
  fork([=] { fork(sort_part(0, quarter), sort_part(quarter, quarter)); },
       [=] { fork(sort_part(half, quarter), sort_part(half + quarter, rest)); });
  const auto merge_pair = [=](std::size_t first, std::size_t second, std::size_t end) {
    return [=] {
      parallel_merge(values.subspan(first, second - first), values.subspan(second, end - second),
                     buffer.subspan(first, end - first), cutoff, fork);
    };
  };
  fork(merge_pair(0, quarter, half), merge_pair(half, half + quarter, values.size()));
  parallel_merge(buffer.first(half), buffer.subspan(half), values, cutoff, fork);
}

}  // namespace heist::workloads
