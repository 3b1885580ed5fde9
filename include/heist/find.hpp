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

// find([pool,] first, last, value), find_if([pool,] first, last, predicate), also with a range: the first element that
//   is equal or satisfies the predicate, else `last`.
// find_any([pool,] first, last, predicate): some element that does; on one worker the first.
// any_of, all_of, none_of([pool,] first, last, predicate): as std's.
//
// Others stop at the end of their chunk (at most 4096 elements, usually a few microseconds) once the answer can't
// change any more. Several threads call the predicate at once, at most once for each element. Random-access iterators;
// allocates nothing. find and find_if throw what a serial search would throw, and nothing else but under a stop condition;
// of the others an exception arrives unless the search ended first: of those thrown the leftmost.
// Threads, and a stop condition in front: as for parallel_for; an answer that was found before is returned.
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
