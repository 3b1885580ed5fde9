// min_element, max_element and minmax_element: as in std.
#pragma once

#include "heist/detail/algorithm.hpp"

namespace heist::inline v0 {

namespace detail {
struct min_element_impl;
struct max_element_impl;
struct minmax_element_impl;
}  // namespace detail

// min_element([pool,] first, last [, less]), max_element, minmax_element, also with a range: return
// the first of the least, the first of the greatest, and, as in std, the pair of the first least
// and the last greatest; `last` if there is no element. Several threads call less at once.
// Random-access iterators; n - 1 calls, for minmax_element 3 n / 2; allocates nothing. Exceptions
// and threads: as for parallel_for.
extern const detail::algorithm<detail::with_ranges<detail::min_element_impl>> min_element;
extern const detail::algorithm<detail::with_ranges<detail::max_element_impl>> max_element;
extern const detail::algorithm<detail::with_ranges<detail::minmax_element_impl>> minmax_element;

}  // namespace heist::inline v0

#include "heist/detail/minmax_element_impl.hpp"
