// partition, stable_partition and copy_if: std's.
#pragma once

#include "heist/detail/algorithm.hpp"

namespace heist::inline v0 {

namespace detail {
struct copy_if_impl;
struct stable_partition_impl;
}  // namespace detail

// copy_if([pool,] first, last, out, predicate), also with a range: copies those that satisfy it, in order, to `out`, which lies
//   elsewhere; returns the end of what was written.
// partition and stable_partition([pool,] first, last, predicate), also with a range: those that satisfy it come first, and
//   both groups keep their order; returns the first that doesn't.
//
// n calls of the predicate, by several threads at once. Random-access iterators. Needs memory for a byte an element,
// partition also for as many elements again (std::bad_alloc, before anything was moved). After an exception of a move the
// elements can be used, but which values they have is unspecified. Exceptions and threads: as for parallel_for.
extern const detail::algorithm<detail::with_ranges<detail::copy_if_impl>> copy_if;
extern const detail::algorithm<detail::with_ranges<detail::stable_partition_impl>> partition;
extern const detail::algorithm<detail::with_ranges<detail::stable_partition_impl>> stable_partition;

}  // namespace heist::inline v0

#include "heist/detail/partition_impl.hpp"
