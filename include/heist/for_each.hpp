// for_each: std's, with the calls at the same time.
#pragma once

#include "heist/detail/algorithm.hpp"
#include "heist/parallel_for.hpp"

namespace heist::inline v0 {

namespace detail {
template <class Stop = never_stops>
struct for_each_impl;
}  // namespace detail

// for_each([pool,] first, last, f), for_each([pool,] range, f): f(element) for every element. With random-access
// iterators as parallel_for, a partitioner may follow. Lists and the like are first walked from end to end by one
// worker, which pays where f takes longer than a step; that allocates (std::bad_alloc) 1024 iterators.
// f, exceptions, threads, and for_each([pool,] stop, ...): as for parallel_for; a list is stopped at every 1024th part of it.
extern const detail::algorithm<detail::with_ranges<detail::for_each_impl<>>> for_each;

}  // namespace heist::inline v0

#include "heist/detail/for_each_impl.hpp"
