// HEIST_CHECK=1: switches the checks of waits on, and watches for the moment when nothing runs any
// more.
//
// A thread looks at all pools from time to time. If for stall_patience fibers wait, no worker runs
// or could begin anything, no wait has a time limit, and nothing changes, it reports who waits for
// what. Only threads outside the pools could go on then, of which the library knows nothing: the
// report says so, and the program goes on. It is repeated only when it reads differently, or
// another pool has been made.
#pragma once

#include <chrono>

namespace heist::inline v0::detail {

constexpr auto stall_patience = std::chrono::milliseconds(1000);

// If the variable is set, sets this up, once in each process. Throws usage_error for a bad value,
// and resource_error if the system refuses the thread.
void watch_for_hangs();

}  // namespace heist::inline v0::detail
