// HEIST_STATS_SIGNAL: a signal that makes the process print what its pools are doing.
#pragma once

namespace heist::inline v0::detail {

// If the variable is set, sets this up, once in each process. Throws usage_error for a bad value,
// and resource_error if the system refuses the thread that prints.
void watch_for_stats_signal();

}  // namespace heist::inline v0::detail
