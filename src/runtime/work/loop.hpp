// The scheduler loop: what a fiber without a task runs, and what a thread without a fiber runs.
#pragma once

#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

// The scheduler loop, run by a fiber that has no task: it finds work until the pool stops.
[[noreturn]] void run_loop() noexcept;

// What a fresh fiber runs: the loop; with sanitizers also a spawned child (call_fiber).
void fiber_main(void* self) noexcept;

// Run on the thread's own stack while w.starves: resumes a ready fiber, or starts one on a stack
// that has become free. Returns when a switch comes back to the thread's own stack, or the pool
// stops.
void serve_ready(worker& w) noexcept;

}  // namespace heist::inline v0::detail
