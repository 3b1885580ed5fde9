// count and count_if: as in std.
#pragma once

#include "heist/detail/algorithm.hpp"

namespace heist::inline v0 {

namespace detail {
template <class Stop = never_stops>
struct count_impl;
template <class Stop = never_stops>
struct count_if_impl;
}  // namespace detail

// count([pool,] first, last, value), count_if([pool,] first, last, predicate), also with a range:
// return how many elements are equal to the value, or satisfy the predicate, which several threads
// call at once. Random-access iterators; n calls; allocates nothing. Exceptions, threads, and a
// stop condition in front: as for parallel_for.
extern const detail::algorithm<detail::with_ranges<detail::count_impl<>>> count;
extern const detail::algorithm<detail::with_ranges<detail::count_if_impl<>>> count_if;

}  // namespace heist::inline v0

#include "heist/detail/count_impl.hpp"
