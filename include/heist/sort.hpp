// sort and stable_sort: as in std.
//
// Both are the same merge sort, which is stable. Halves are sorted at the same time, each level
// merges from one array into the other, and a merge is itself cut into parts
// (heist/detail/parallel/merging.hpp). Elements of at most 16 bytes that are trivially copyable are
// merged without branches that depend on data. At each level, a part that is in order already, or
// in strictly descending order, is detected and not sorted.
//
// Why not quicksort or a sample sort: no input is bad for this one, its comparisons are few, and
// its span is O(log^3 n); the price is a second array.
#pragma once

#include "heist/detail/requirements.hpp"

namespace heist::inline v0 {

// sort([pool,] first, last [, less]), sort([pool,] range [, less]), and stable_sort: sort
// ascending; equal elements keep their order in both. Several threads call less at once.
//
// Random-access iterators, movable elements. O(n log n) comparisons for every input; fewer than n
// where the elements are in order. More than 32 elements need memory for as many again
// (std::bad_alloc, before anything was moved). If `less` isn't a strict weak order, the resulting
// order has no meaning, but no access is out of bounds, no loop is endless, and no element is lost.
// After an exception of less, or of a move, the elements are valid, but their values are
// unspecified. Exceptions and threads: as for parallel_for. These algorithms are function objects;
// their types are unspecified.
extern const struct sort_function sort;
extern const struct stable_sort_function stable_sort;

}  // namespace heist::inline v0

#include "heist/detail/sort_impl.hpp"
