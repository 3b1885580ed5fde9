// inclusive_scan and exclusive_scan: as in std, with the same bits for any number of workers.
//
// The tree. n elements are cut into leaves of sqrt(n) elements (rounded down), at least 1 and at
// most 1024; the last one may be shorter. A leaf's sum is folded from left to right. The offset of
// the first leaf is the initial value, if there is one. The offset of each other leaf is the
// previous leaf's offset, op the previous leaf's sum (or that sum alone). The output is the leaf's
// offset with the leaf's elements folded in one after the other.
//
// How it runs. One worker alone puts out and sums leaf by leaf, in one pass. Other workers that ask
// for work get leaves to sum; these leaves need a second pass when their offsets are known. All
// this is done in blocks of 1024 leaves, so that the elements that are read again are still in the
// caches.
#pragma once

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// inclusive_scan([pool,] first, last, out [, op [, init]]), exclusive_scan([pool,] first, last,
// out, init [, op]), also with a range instead of first and last. out[i] is init op e0 op ... op
// e[i], for exclusive_scan without e[i], evaluated in the tree above; op is std::plus where it
// isn't given. Returns the end of the output, which may be the very elements that are read.
//
// op must be associative; if it isn't, the tree is part of the meaning of the result. Several
// threads call op at once. The type of the sums is that of init, or else that of the elements; it
// must be copyable and constructible from an element. Random-access iterators; at most 2 n +
// sqrt(n) operations; needs memory for 1024 sums (std::bad_alloc). After an exception the output is
// unspecified. Exceptions and threads: as for parallel_for. These algorithms are function objects;
// their types are unspecified.
extern const struct inclusive_scan_function inclusive_scan;
extern const struct exclusive_scan_function exclusive_scan;

}  // namespace heist::inline v0

#include "heist/detail/scan_impl.hpp"
