// find, find_if, find_any, any_of, all_of and none_of: searches that stop when the answer is known.
#pragma once

#include <cstdint>

#include "heist/detail/algorithm.hpp"

namespace heist::inline v0 {

namespace detail {
template <class Stop = never_stops>
struct find_impl;
template <class Stop = never_stops>
struct find_if_impl;
template <class Stop = never_stops>
struct find_any_impl;
enum class quantifier : std::uint8_t { any, all, none };
template <quantifier Quantifier, class Stop = never_stops>
struct quantified_impl;
}  // namespace detail

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
extern const detail::algorithm<detail::with_ranges<detail::find_impl<>>> find;
extern const detail::algorithm<detail::with_ranges<detail::find_if_impl<>>> find_if;
extern const detail::algorithm<detail::with_ranges<detail::find_any_impl<>>> find_any;
extern const detail::algorithm<
    detail::with_ranges<detail::quantified_impl<detail::quantifier::any>>>
    any_of;
extern const detail::algorithm<
    detail::with_ranges<detail::quantified_impl<detail::quantifier::all>>>
    all_of;
extern const detail::algorithm<
    detail::with_ranges<detail::quantified_impl<detail::quantifier::none>>>
    none_of;

}  // namespace heist::inline v0

#include "heist/detail/find_impl.hpp"
