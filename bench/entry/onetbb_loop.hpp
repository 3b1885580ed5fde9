// oneTBB's loop, for a comparison of callers.
#pragma once

#include <cstddef>
#include <functional>

namespace heist::bench {

// A function that calls oneTBB's parallel_for over `values` with that many threads at most; empty
// where the build has no oneTBB. The limit holds as long as the function lives.
[[nodiscard]] std::function<void()> onetbb_loop(unsigned workers, std::size_t n, double* values);

}  // namespace heist::bench
