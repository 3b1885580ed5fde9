// The task loop: what a thread does that waits for tasks, or that has come to help.
//
// The loop runs tasks on the stack of its caller. It takes the newest task of its own deque first,
// then what the arena has for it, then steals. A wait in an isolated region takes tasks of that
// region alone.
#pragma once

#include <atomic>

#include "arenas/participant.hpp"
#include "parts/abi.hpp"

namespace tbb::detail::r1 {

// The name under which the header grants access to a wait's count.
class external_waiter {
 public:
  static bool has_ended(const d1::wait_context& w) noexcept { return !w.continue_execution(); }
};

}  // namespace tbb::detail::r1

namespace heist::inline v0::libtbb {

// Runs `first`, if any, and then other tasks until the wait has ended. Exceptions of tasks go to
// their contexts. The caller, who has a seat, may be on another thread afterwards.
void run_until(participant& me, d1::wait_context& wait, task* first);

// A worker's visit to the arena in which it has a seat; returns when it should leave.
void visit_arena(participant& me) noexcept;

// The loop at the bottom of each stack (task_stack.hpp).
[[noreturn]] void serve_on_stack() noexcept;

}  // namespace heist::inline v0::libtbb
