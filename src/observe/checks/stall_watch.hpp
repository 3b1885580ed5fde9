// HEIST_CHECK=1: switches the checks of waits on, and watches for the moment when nothing runs any
// more. The same thread looks for what starves (HEIST_CHECK=starve:TIME).
//
// A thread looks at all pools from time to time. If for stall_patience fibers wait, no worker runs
// or could begin anything, no wait has a time limit, and nothing changes, it reports who waits for
// what. Only threads outside the pools could go on then, of which the library knows nothing: the
// report says so, and the program goes on. It is repeated only when it reads differently, or
// another pool has been made.
#pragma once

#include <chrono>

#include "runtime/core/environment.hpp"

namespace heist::inline v0::detail {

constexpr auto stall_patience = std::chrono::milliseconds(1000);

// Sets this up where it is wanted, once in each process. Throws resource_error if the system
// refuses the thread.
void watch_for_hangs(const check_settings& wanted);

}  // namespace heist::inline v0::detail
