// transform, generate, fill and copy: as in std.
#pragma once

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// transform([pool,] first, last, out, f), transform([pool,] first, last, first2, out, f): out[i] =
//   f(element) or f(element, element of the second range).
// copy([pool,] first, last, out), fill([pool,] first, last, value), generate([pool,] first, last,
// g): as in std. Each also takes a range instead of first and last.
//
// transform and copy return the end of the output, which may be the very elements that are read,
// but must not overlap them otherwise. Several threads call f and g at once; so it is unspecified
// which element gets which of g's values. Random-access iterators; allocates nothing. Exceptions,
// threads, and a stop condition in front: as for parallel_for; elements that weren't reached before
// the stop are not written. These algorithms are function objects; their types are unspecified.
extern const struct transform_function transform;
extern const struct copy_function copy;
extern const struct fill_function fill;
extern const struct generate_function generate;

}  // namespace heist::inline v0

#include "heist/detail/transform_impl.hpp"
