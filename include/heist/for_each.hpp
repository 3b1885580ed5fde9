// for_each: as in std, but the calls may run at the same time.
#pragma once

#include "heist/detail/refusal.hpp"
#include "heist/parallel_for.hpp"

namespace heist::inline v0 {

// for_each([pool,] first, last, f), for_each([pool,] range, f): call f(element) for every element.
// With random-access iterators it is like parallel_for, and a partitioner may follow. A list or the
// like is first walked from end to end by one worker, which pays off where f takes longer than a
// step; that allocates 1024 iterators (std::bad_alloc). f, exceptions, threads, and
// for_each([pool,] stop, ...): as for parallel_for; in a list the stop condition is asked at most
// 1024 times. for_each is a function object; its type is unspecified.
extern const struct for_each_function for_each;

}  // namespace heist::inline v0

#include "heist/detail/for_each_impl.hpp"
