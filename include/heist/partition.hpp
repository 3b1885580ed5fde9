// partition, stable_partition and copy_if: as in std.
#pragma once

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// copy_if([pool,] first, last, out, predicate), also with a range: copies the elements that satisfy
//   the predicate, in order, to `out`, which must not overlap them; returns the end of the output.
// partition and stable_partition([pool,] first, last, predicate), also with a range: moves the
//   elements that satisfy the predicate to the front, and both groups keep their order; returns the
//   first that doesn't satisfy it.
//
// The predicate is called n times, by several threads at once, and before partition moves anything.
// Random-access iterators. Needs one bit of memory for each element, copy_if only on several
// workers; partition also needs memory for as many elements again (std::bad_alloc, before anything
// was moved). After an exception of a move the elements are valid,
// but their values are unspecified. Exceptions and threads: as for parallel_for. These algorithms
// are function objects; their types are unspecified.
extern const struct copy_if_function copy_if;
extern const struct partition_function partition;
extern const struct partition_function stable_partition;

}  // namespace heist::inline v0

#include "heist/detail/partition_impl.hpp"
