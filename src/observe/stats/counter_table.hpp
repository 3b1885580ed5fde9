// The counters of a worker with their names, for whoever writes them out.
#pragma once

#include <cstdint>

#include "heist/stats.hpp"

namespace heist::inline v0 {

struct counter_metric {
  const char* name;
  const char* help;
  std::uint64_t counters::*field;
};

inline constexpr counter_metric counter_metrics[] = {
    {"heist_steals_total", "Jobs taken from another worker.", &counters::steals},
    {"heist_failed_steals_total", "Attempts that found nothing, or lost a race.",
     &counters::failed_steals},
    {"heist_batched_total", "Further jobs that a steal of several took.", &counters::batched},
    {"heist_exposes_total", "Jobs that their owner made public because a thief asked.",
     &counters::exposes},
    {"heist_remote_exposes_total", "Jobs that a thief made public for an owner.",
     &counters::remote_exposes},
    {"heist_reclaims_total", "Jobs that their owner took back from its public part.",
     &counters::reclaims},
    {"heist_suspends_total", "Joins that had to wait for a stolen job.", &counters::suspends},
    {"heist_blocked_joins_total", "Waits of workers that had no stack to run anything else.",
     &counters::blocked_joins},
    {"heist_roots_total", "Functions given to the pool by threads outside.", &counters::roots},
    {"heist_parks_total", "Times that the worker went to sleep.", &counters::parks},
    {"heist_naps_total", "Short sleeps, after only crumbs were found to steal.", &counters::naps},
    {"heist_wakes_total", "Times that the worker woke another one.", &counters::wakes},
    {"heist_inlined_forks_total", "Forks that ran as plain calls, the deque being full.",
     &counters::inlined_forks},
    {"heist_yields_total", "Yields after failed attempts to steal.", &counters::yields},
    {"heist_resizes_total", "Arrays of deques replaced by larger ones.", &counters::resizes},
    {"heist_puts_total", "Jobs put on the deque; 0 unless counted.", &counters::puts},
    {"heist_takes_total", "Jobs that the owner took back; 0 unless counted.", &counters::takes},
    {"heist_failed_takes_total", "Takes that found nothing.", &counters::failed_takes},
};

}  // namespace heist::inline v0
