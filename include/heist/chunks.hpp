// parallel_for_chunks, reduce_chunks and scan_chunks: loops, reductions and scans whose functions
// get whole chunks of neighbouring indices, first to last, and loop over them themselves.
//
//     heist::parallel_for_chunks(0, n, [&](std::size_t first, std::size_t last) {
//       kernel(x + first, y + first, last - first);
//     });
//     const auto fold = [&](std::size_t first, std::size_t last, sums s) {
//       for (; first != last; ++first) s.add(points[first]);
//       return s;
//     };
//     sums s = heist::reduce_chunks(0, n, sums{}, fold, [](sums a, sums b) { return a += b; });
//
// For kernels that exist already, for setting something up once for many iterations, and for
// accumulators that are more than a number: an accumulator is made for each chunk, where reduce
// makes a value of each element.
#pragma once

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// parallel_for_chunks([pool,] first, last, body [, least]): calls body(f, l), f < l, for chunks
// that make up [first, last). A chunk has at least `least` indices (1 if not given), unless the
// whole range has fewer. Chunks are cut as parallel_for cuts them, on demand: where they lie
// depends on the clock and on thieves. On one worker the whole range is one chunk, unless there is
// a stop condition. Indices, order, exceptions, threads, and a stop condition in front: as for
// parallel_for.
extern const struct parallel_for_chunks_function parallel_for_chunks;

// reduce_chunks([pool,] first, last, identity, fold, combine [, least]): of each chunk
// fold(f, l, identity) makes a value; combine(left, right) makes one of two neighbouring ones, left
// of which is what the indices to the left gave. Returns that of all chunks; identity for an empty
// range.
//
// The chunks, and the tree in which their values are combined, depend on the number of indices and
// on `least` alone, so the result has the same bits for any number of workers. n indices make
// m = n / s chunks, at least one, whose lengths differ by 1 at most, the longer ones first; s is
// n / 64, at least 1 and at most 2048, and at least `least`. In the tree the first m / 2 (rounded
// down) chunks make the left operand. identity must be copyable, its type movable; fold takes a
// copy for each chunk. Several threads call fold and combine at once. Allocates nothing.
// Exceptions, threads, and a stop condition in front: as for reduce.
extern const struct reduce_chunks_function reduce_chunks;

// scan_chunks([pool,] first, last, init, sum, combine, put_out [, least]): for each chunk calls
// put_out(f, l, prefix), where prefix is combine(... combine(init, s0) ..., sk), of the sums of the
// chunks to the left: sum(f, l). Returns the same of all chunks.
//
// sum and put_out are called once for each chunk, sum first, if put_out returns void: then the
// prefixes have the same bits for any number of workers. If it returns a value, this must be the
// prefix of the next chunk. Then sum is called only for chunks that are begun before their prefix
// is known; on one worker never. So a scan that reads and writes takes one pass instead of two.
//
// The chunks depend on the number of indices and on `least` alone: as for reduce_chunks, where s is
// the square root of n, rounded down, at least 1 and at most 1024, and at least `least`. Several
// threads call the functions at once. The type of init must be copyable, and movable by
// assignment. Needs memory for up to 1024 sums
// (std::bad_alloc). Exceptions and threads: as for parallel_for.
extern const struct scan_chunks_function scan_chunks;

}  // namespace heist::inline v0

#include "heist/detail/chunks_impl.hpp"
