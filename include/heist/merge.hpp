// merge: as in std.
#pragma once

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// merge([pool,] first, last, first2, last2, out [, less]), merge([pool,] range, range2, out [,
// less]): merge two sorted ranges into one, which must not overlap them; of equal elements those of
// the first range come first. Return the end of the output. Several threads call less at once.
// Random-access iterators; O(n) comparisons, span O(log^2 n); allocates nothing. If `less` isn't a
// strict weak order, the resulting order has no meaning, but no access is out of bounds. After an
// exception the output is unspecified. Exceptions and threads: as for parallel_for. merge is a
// function object; its type is unspecified.
extern const struct merge_function merge;

}  // namespace heist::inline v0

#include "heist/detail/merge_impl.hpp"
