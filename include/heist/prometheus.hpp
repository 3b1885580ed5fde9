// A pool's statistics for Prometheus and what else reads its text format.
#pragma once

#include <span>
#include <string>

#include "heist/detail/export.hpp"
#include "heist/stats.hpp"

namespace heist::inline v0 {

// The statistics in Prometheus' text exposition format, version 0.0.4, to be served as
// "text/plain; version=0.0.4": counters by worker as heist_steals_total{pool="heist",worker="0"},
// gauges of stacks and of threads for blocking calls, and, if the pool measures them
// (stats_kind::timed), its histograms in seconds and in jobs, as
// heist_idle_seconds_bucket{pool="heist",reason="no_work",le="1.024e-06"}. The label pool is
// pool_config::name; a second pool of the same name is NAME-2 among those of one call, and so on.
// Bytes of a name that aren't UTF-8 become U+FFFD. Thread-safe; throws std::bad_alloc; takes some
// microseconds a worker.
[[nodiscard]] HEIST_API std::string to_prometheus(const pool_stats& stats);
// The same of several pools, in one text: the format wants each metric named once.
[[nodiscard]] HEIST_API std::string to_prometheus(std::span<const pool_stats> pools);

}  // namespace heist::inline v0
