// merge: std's.
#pragma once

#include "heist/detail/algorithm.hpp"

namespace heist::inline v0 {

namespace detail {
struct merge_impl;
}  // namespace detail

// merge([pool,] first, last, first2, last2, out [, less]), merge([pool,] range, range2, out [, less]): both sorted ones into
// one, which lies elsewhere; of equal elements those of the first come first. Returns the end of what was written.
// Several threads call less at once. Random-access iterators; O(n) comparisons, span O(log^2 n); allocates nothing.
// A `less` that is no strict weak order makes an order of no meaning, never an access out of bounds. After an exception
// what was written is unspecified. Exceptions and threads: as for parallel_for.
extern const detail::algorithm<detail::merge_impl> merge;

}  // namespace heist::inline v0

#include "heist/detail/merge_impl.hpp"
