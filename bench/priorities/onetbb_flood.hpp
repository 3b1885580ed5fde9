// oneTBB's priorities, for a comparison: one arena for each level.
#pragma once

#include <functional>

#include <heist/priority.hpp>

#include "bench/priorities/wait_under_flood.hpp"

namespace heist::bench {

using flood_measurement =
    std::function<void(const flood&, priority flooding, priority measured, samples& waits_us)>;

// Measures with that many threads; empty where the build has no oneTBB.
[[nodiscard]] flood_measurement onetbb_flood(unsigned workers);

}  // namespace heist::bench
