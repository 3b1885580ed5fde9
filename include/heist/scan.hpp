// inclusive_scan and exclusive_scan: std's, with the same bits for any number of workers.
//
// The tree. n elements are cut into leaves of sqrt(n) elements (rounded down), at least 1 and at most 1024; the last one may be
// shorter. A leaf's sum is folded from left to right. The offset of the first leaf is the initial value, if there is one; that
// of each other leaf is the one before, op that leaf's sum (or that sum alone). What is put out is the leaf's offset
// with the leaf's elements folded in one after the other.
//
// How it runs. One worker alone puts out and sums leaf by leaf, in one pass. Others that ask get leaves to sum, for
// which a second pass is needed when their offsets are known. This goes by blocks of 1024 leaves, so that what is read again is
// still in the caches.
#pragma once

#include "heist/detail/algorithm.hpp"

namespace heist::inline v0 {

namespace detail {
struct inclusive_scan_impl;
struct exclusive_scan_impl;
}  // namespace detail

// inclusive_scan([pool,] first, last, out [, op [, init]]), exclusive_scan([pool,] first, last, out, init [, op]), also with a
// range for the first two: out[i] is init op e0 op ... op e[i], or without e[i], in the tree above; op is std::plus
// where it isn't given. Returns the end of what was written, which may be the very elements that are read.
//
// op must be associative, or the tree is part of what the result means; several threads call it at once. The type of
// the sums is that of init, else the elements'; it must be copyable and made from an element. Random-access
// iterators; at most 2 n + sqrt(n) operations; needs memory for 1024 sums (std::bad_alloc). After an exception what was
// written is unspecified. Exceptions and threads: as for parallel_for.
extern const detail::algorithm<detail::with_ranges<detail::inclusive_scan_impl>> inclusive_scan;
extern const detail::algorithm<detail::with_ranges<detail::exclusive_scan_impl>> exclusive_scan;

}  // namespace heist::inline v0

#include "heist/detail/scan_impl.hpp"
