// Where a waiter and an ender meet: the state of a job, a root, a scope or a wait_point.
//
// The waiter waits until the state is settled; the ender settles it. Each makes one exchange on it. The
// second of the two finds what the first one left, and has to see to it that the waiter continues:
//
//   pending --(waiter: its address)--> waiter --(ender: how it ended)--> the ender resumes or wakes the waiter
//   pending --(ender: how it ended)--> ended --(the waiter's exchange fails)--> the waiter continues by itself
//
// Invariants.
//   J1  A fiber's address is exchanged in only after the switch away from it (switch.cpp): whoever finds
//       it may run it.
//   J2  A worker's deque is empty when its fiber suspends in a join: thieves take the oldest first, so
//       when a frame's own job is gone, everything older is too.
//   J3  A waiter is a fiber, or a thread outside any pool that blocks. A worker never blocks: without
//       memory for another stack it resumes, from its thread's own stack, fibers whose waits have ended
//       (serve_ready), so that those which they wait for don't wait for ever.
//   J4  A worker that has no stack to begin anything on leaves what it has not begun in the injection
//       queue, and a join that finds its own job there runs it.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/fiber.hpp"

namespace heist::inline v0::detail {

// ---- The waiter.

// Returns when `state` has been settled. Any thread; a worker's running fiber may have forks open, which
// are left to other workers, and suspends: afterwards the thread may be another one.
void wait_until_settled(std::atomic<std::uintptr_t>& state) noexcept;

// ---- The ender. The waiter sees what happened before.

// Settles the state. A thread that waited is woken. A greedy fiber of this worker's pool that waited is
// resumed at once, on this worker, and then settle() does not return; any other fiber is made ready.
void settle(std::atomic<std::uintptr_t>& state, std::uintptr_t value) noexcept;

// Settles the state. A thread that waited is woken; a fiber that waited is returned, else nullptr: the
// caller has to resume it or make it ready.
[[nodiscard]] fiber* settle_for_fiber(std::atomic<std::uintptr_t>& state,
                                      std::uintptr_t value) noexcept;

// Hands a suspended fiber that can go on to its pool. Any thread.
void make_ready(fiber& f) noexcept;

}  // namespace heist::inline v0::detail
