// reduce and transform_reduce: as in std, with the same bits for any number of workers.
//
//     double total = heist::reduce(v);
//     double norm = heist::transform_reduce(v, 0.0, std::plus{}, [](double x) { return x * x; });
//
// The tree. n elements are cut into leaves of n / 64 elements, at least 1 and at most 512; the last
// one may be shorter. A leaf is folded from left to right. Of m leaves the first m / 2 (rounded
// down) make the left operand, the others the right one. The initial value is the left operand of
// the whole. Where elements and result are one arithmetic type in contiguous memory and the
// operation is std::plus or std::multiplies, leaves have 2048 elements, which are dealt to 128 /
// sizeof(T) lanes in turn, so that a leaf can use the processor's vectors; the lanes are folded
// pairwise (lane k with lane k + half), and the elements that are left after whole turns follow.
#pragma once

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// reduce([pool,] first, last [, init [, op]]), reduce([pool,] range [, init [, op]]): init op e0 op
//   e1 op ..., in the tree above; where they aren't given, init is a value-initialised element and
//   op is std::plus.
// transform_reduce([pool,] first, last, init, op, f), also with a range: the same over f(e).
// transform_reduce([pool,] first, last, first2, init [, op, f]), also with a range instead of first
//   and last: the same over f(e, e2), by default the inner product.
//
// op must be associative; if it isn't, the tree is part of the meaning of the result. It need not
// be commutative. Several threads call op and f at once. The result's type is that of init, which
// must be movable and constructible from an element. Random-access iterators; a range may be a
// temporary, a view of <ranges> for instance. O(n) operations, span
// O(log n) of them beyond a leaf; allocates nothing. Exceptions, threads, and a stop condition in
// front: as for parallel_for; cancelled counts elements. These algorithms are function objects;
// their types are unspecified.
extern const struct reduce_function reduce;
extern const struct transform_reduce_function transform_reduce;

}  // namespace heist::inline v0

#include "heist/detail/reduce_impl.hpp"
