// A pool's statistics as JSON, for the files of traces and for HEIST_STATS=json:FILE.
#pragma once

#include <string>

#include "heist/stats.hpp"

namespace heist::inline v0::detail {

// An object: the pool's name, its counters by worker and in all (named as to_prometheus names them,
// without "heist_" and "_total"), its stacks, its histograms if it has some, and what HEIST_STATS=1
// says in sentences. One line. Throws std::bad_alloc.
[[nodiscard]] std::string to_json(const pool_stats& stats);

}  // namespace heist::inline v0::detail
