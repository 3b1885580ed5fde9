// sort and stable_sort: as in std.
//
// What is in order already, or nearly, or in the opposite order, is detected, and costs little more
// than a pass; a few long parts that are in order are merged. Other elements are distributed among
// buckets by a sample, as in a sample sort, with buckets of their own for values that the sample
// has several times. Small buckets are partitioned and merged without branches that depend on data.
// Which moves are made depends on the elements:
//
// - Numbers of 2, 4 and 8 bytes that lie side by side, by < or >: in place, by the processor's
//   vectors, where Highway is installed (libhwy_contrib.so.1; Debian: libhwy1). It is loaded beside
//   the sorts once 2^18 numbers have been sorted, and not under HEIST_SCALAR_SORT=1
//   (heist/detail/parallel/key_sort.hpp). Not in stable_sort of floating-point numbers.
// - Of at most 32 bytes and trivially copyable, and pairs and tuples of such members: between the
//   range and a second array (heist/detail/parallel/light_sort.hpp).
// - Movable without exceptions: pointers are sorted, and elements moved along them; sort needs no
//   second array of such elements (heist/detail/parallel/heavy_sort.hpp).
// - All others, and ranges whose elements don't lie side by side: a merge sort.
//
// An input that is bad for samples or for pivots is recognised and merge-sorted.
#pragma once

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// sort([pool,] first, last [, less]), sort([pool,] range [, less]), and stable_sort: sort
// ascending. In stable_sort equal elements keep their order, in sort any order of them may result.
// Several threads call less at once.
//
// Random-access iterators, movable elements. O(n log n) comparisons for every input; fewer than n
// where the elements are in order, little more where few of them aren't. More than 32 elements that
// are not in order need memory (std::bad_alloc, before anything was moved): for as many again and a
// byte each; sort, where moves throw nothing and elements are not of the first kind above, for up
// to three pointers each. Bits that share words (std::vector<bool>) are sorted as bytes, and put
// back by one worker. If `less` isn't a strict weak order, the resulting order has no meaning,
// but no access is out of bounds, no loop is endless, and no element is lost. After an exception of
// less, or of a move, the elements are valid, but their values are unspecified. Exceptions and
// threads: as for parallel_for. These algorithms are function objects; their types are unspecified.
extern const struct sort_function sort;
extern const struct stable_sort_function stable_sort;

}  // namespace heist::inline v0

#include "heist/detail/sort_impl.hpp"
