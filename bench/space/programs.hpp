// Programs that mark their positions in an extent_meter. They fork like those in workloads/, and a
// serial recursion returns the same value as each of them.
#pragma once

#include <cstdint>

#include "bench/space/extent_meter.hpp"

namespace heist::bench::metered {

// A balanced tree of many forks.
[[nodiscard]] std::uint64_t fib(extent_meter& meter, std::uint64_t n);

// An irregular tree: the boards of n queens, forked to the last row.
[[nodiscard]] std::uint64_t queens(extent_meter& meter, unsigned n);

// Leaves of a tree that is a chain with a small balanced tree at each link: deep stacks, of which
// thieves take the short ends.
[[nodiscard]] std::uint64_t chain(extent_meter& meter, unsigned links);

// The same with the chain as the second function, so that a thief repeatedly takes the long rest of
// the chain.
[[nodiscard]] std::uint64_t reversed_chain(extent_meter& meter, unsigned links);

inline constexpr unsigned link_size = 12;  // fib of that is at each link

}  // namespace heist::bench::metered
