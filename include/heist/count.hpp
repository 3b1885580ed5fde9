// count and count_if: as in std.
#pragma once

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// count([pool,] first, last, value), count_if([pool,] first, last, predicate), also with a range:
// return how many elements are equal to the value, or satisfy the predicate, which several threads
// call at once. Random-access iterators; n calls; allocates nothing. Exceptions, threads, and a
// stop condition in front: as for parallel_for. These algorithms are function objects; their types
// are unspecified.
extern const struct count_function count;
extern const struct count_if_function count_if;

}  // namespace heist::inline v0

#include "heist/detail/count_impl.hpp"
