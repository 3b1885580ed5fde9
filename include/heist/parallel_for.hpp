// parallel_for: a loop whose iterations may run at the same time.
//
//     heist::parallel_for(0, v.size(), [&](std::size_t i) { y[i] += a * x[i]; });
//     heist::parallel_for(0, n, heist::step{3}, [&](int i) { ... });  // 0, 3, 6 ... below n
//     heist::parallel_for(v, [](double& x) { x = std::sqrt(x); });
//     heist::parallel_for(heist::block<2>{{0, 0}, {rows, columns}}, [&](auto y, auto x) { ... });
//     heist::parallel_for(pool, 0, n, body, heist::static_blocks{});
//
// There is no grain size to choose: the loop splits the remaining iterations when another worker
// asks for work (heist/detail/parallel/split_loop.hpp). The body is inlined into a plain counted
// loop, which compilers vectorise. One worker runs it from the first iteration to the last.
#pragma once

#include <concepts>

#include "heist/block.hpp"
#include "heist/detail/refusal.hpp"
#include "heist/partitioner.hpp"

namespace heist::inline v0 {

// By how much the index of a loop grows; a negative one counts down. Not 0.
template <std::integral I>
requires(!std::same_as<I, bool>)
struct step {
  I by;  // what is added to the index after each iteration
};
template <class I>
step(I) -> step<I>;

// parallel_for([pool,] first, last, body [, partitioner]): calls body(i) for every index of [first,
//   last). The indices have the common type of first and last, which may be any integers of at most
//   64 bits except bool.
// parallel_for([pool,] first, last, step, body [, partitioner]): the same for first, first + by,
//   first + 2 by and so on, as far as they lie before last: below it, or above it if by is
//   negative. The indices have the same type as without a step. Throws usage_error for a step of 0,
//   and if last doesn't lie in the direction of the step.
// parallel_for([pool,] range, body [, partitioner]): calls body(element) for every element of a
//   random-access range.
// parallel_for([pool,] block, body): calls body(y, x) or body(z, y, x) for every cell of a block;
//   or, if body can be called with a block, body(tile) for tiles that make up the block. A block is
//   cut where it is longest.
//
// Several threads call the body at once, and it must allow that. Nothing is promised about the
// order, except that on one worker, and with HEIST_SERIAL=1, indices and ranges are visited from
// first to last. After the loop the thread may be another one (see fork_join).
//
// parallel_for([pool,] stop, ...): the same under a stop condition, such as a std::stop_token: see
//   <heist/cancellation.hpp>. Throws cancelled, whose numbers count iterations, if the loop was
//   stopped before all were begun.
//
// Throws what a body threw: of several exceptions the leftmost. Iterations that have begun end
// first; iterations to the right of the exception may never begin. Throws usage_error, which names
// both ends, for an inverted range; also for a range of 2^64 elements or more. Thread-safe, from
// any thread: outside a pool it enters the default one, once for the whole loop. An empty range
// costs nothing. parallel_for is a function object; its type is unspecified.
extern const struct parallel_for_function parallel_for;

}  // namespace heist::inline v0

#include "heist/detail/parallel_for_impl.hpp"
