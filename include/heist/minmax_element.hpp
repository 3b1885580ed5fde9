// min_element, max_element and minmax_element: as in std.
#pragma once

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// min_element([pool,] first, last [, less]), max_element, minmax_element, also with a range: return
// the first of the least, the first of the greatest, and, as in std, the pair of the first least
// and the last greatest; `last` if there is no element. Several threads call less at once.
// Random-access iterators; n - 1 calls, for minmax_element 3 n / 2; allocates nothing. Exceptions
// and threads: as for parallel_for. These algorithms are function objects; their types are
// unspecified.
extern const struct min_element_function min_element;
extern const struct max_element_function max_element;
extern const struct minmax_element_function minmax_element;

}  // namespace heist::inline v0

#include "heist/detail/minmax_element_impl.hpp"
