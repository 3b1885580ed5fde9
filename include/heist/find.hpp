// find, find_if, find_any, any_of, all_of and none_of: searches that stop when the answer is known.
#pragma once

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// find([pool,] first, last, value), find_if([pool,] first, last, predicate), also with a range: the
//   first element that is equal to the value or satisfies the predicate, else `last`.
// find_any([pool,] first, last, predicate): some element that satisfies it; on one worker the
//   first.
// any_of, all_of, none_of([pool,] first, last, predicate): as in std.
//
// Once the answer can't change any more, other workers stop at the end of their chunk (at most 4096
// elements, usually a few microseconds). Several threads call the predicate at once, at most once
// for each element. Random-access iterators; allocates nothing. find and find_if throw what a
// serial search would throw, and nothing else except under a stop condition. The other searches
// throw the leftmost of the exceptions, unless the search ended before. Threads, and a stop
// condition in front: as for parallel_for; an answer that was found before the stop is returned.
// These algorithms are function objects; their types are unspecified.
extern const struct find_function find;
extern const struct find_if_function find_if;
extern const struct find_any_function find_any;
extern const struct any_of_function any_of;
extern const struct all_of_function all_of;
extern const struct none_of_function none_of;

}  // namespace heist::inline v0

#include "heist/detail/find_impl.hpp"
