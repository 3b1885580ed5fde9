// HEIST_CHECK=1: who waits for whom, and cycles of waits, which never end.
//
// Nodes are flows of control: fibers, and threads outside any pool. A flow waits for one thing at a
// time, and that is an edge to each flow that has to act before the wait can end:
//
//   mutex, shared_mutex   to those that hold it
//   future                to the fiber that makes the result
//   join, call            to the fiber, or the thread of a blocking call, that runs the function
//   scope                 to the fibers of its children
//
// The one that begins to wait adds its edges and looks for a cycle through itself, in one section
// under the lock of the graph. So the flow that closes a cycle finds it. Channels, semaphores,
// latches, barriers and condition variables have no edges, since anybody may end such a wait:
// stall_watch reports them when nothing runs any more. Neither have timed waits, which end by
// themselves.
//
// A cycle that is found is one.
//   W1  A hold is noted after the lock was taken, and removed before it is released. So a flow that
//       is known to wait for a lock which another one is known to hold has not got it and can't get
//       it before that one acts. (A reader that waits while others read is the exception: it may
//       just be coming in. It has an edge only while its node is in the list of the lock, and
//       nobody waits there for a limited time.)
//   W2  A flow is known to make a future, or to run a function, until the result is complete.
//   W3  A flow that is known to wait does nothing else until it has been removed from the graph.
// A mutex that one flow locks and another unlocks is used as a signal, not as a lock: from then on
// its waits have no edges. A hold ends also with the function that began it.
//
// Every cycle contains a wait for a lock or a future: joins, calls and scopes alone are a tree. One
// such wait in each cycle is refused, by the exception `deadlock`: that of the flow that closes the
// cycle, or where that one joins, the first one behind it. A refusal takes the waiter's node out of
// its list, as the end of a time limit would do.
//
// Who guards what: one process_mutex guards the graph and all wait_records in it. It is taken
// before the lock of a list, and nothing suspends under it. A child of fork() begins with an empty
// graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "heist/detail/refusable_wait.hpp"
#include "heist/detail/rendezvous.hpp"
#include "heist/detail/wait_checks.hpp"
#include "heist/detail/waiting.hpp"
#include "runtime/core/fiber.hpp"
#include "runtime/notes.hpp"

namespace heist::inline v0::detail {

// The function that the fiber ran has ended: what it locked and didn't unlock is held by nobody.
void forget_holds_slow(const fiber& f) noexcept;
inline void forget_holds(const fiber& f) noexcept {
  if (waits_are_checked()) [[unlikely]]
    forget_holds_slow(f);
}

// The calling thread runs what settles this state when it has ended; nullptr: no longer.
void note_thread_runs(const void* state) noexcept;

// What the graph says of a moment, for stall_watch.
struct wait_counts {
  std::uint64_t changes = 0;  // of the graph since the process began
  std::size_t fibers = 0;     // that wait
  std::size_t threads = 0;    // likewise, outside any pool
  std::size_t timed = 0;      // of all these
};
[[nodiscard]] wait_counts count_waits() noexcept;

// What is known of an object at which others wait: "accounts, made at bank.cpp:12", or "". Throws
// std::bad_alloc.
[[nodiscard]] std::string name_of_awaited(const void* object);

// Every wait that the graph knows of, one line each. Throws std::bad_alloc.
[[nodiscard]] std::string describe_waits();

}  // namespace heist::inline v0::detail
