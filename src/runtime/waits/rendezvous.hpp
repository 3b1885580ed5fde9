// Waiting at a rendezvous (heist/detail/rendezvous.hpp), and settling it: who waits, and how the
// waiter continues.
//
// Invariants.
//   J1  A fiber's address is exchanged in only after the switch away from it (switch.cpp): the one
//       that finds it may run it.
//   J2  A worker's deque is empty when its fiber suspends in a join: thieves take the oldest first,
//       so when a frame's own job is gone, everything older is too.
//   J3  A waiter is a fiber, or a thread outside any pool that blocks. A worker never blocks:
//       without memory for another stack it resumes, from its thread's own stack, fibers whose
//       waits have ended (serve_ready), so that those which they wait for don't wait for ever.
//   J4  A worker that has no stack to begin anything on leaves what it has not begun in the
//       injection queue, and a join that finds its own job there runs it.
#pragma once

#include "heist/detail/rendezvous.hpp"
#include "heist/detail/waiting.hpp"
#include "runtime/core/fiber.hpp"

namespace heist::inline v0::detail {

class pool_impl;

// ---- The waiter.

// Returns when `state` has been settled. Any thread. The running fiber of a worker may have forks
// open: they are left to other workers. It suspends; afterwards the thread may be another one.
void wait_until_settled(rendezvous& state, awaited what) noexcept;

// The same for a thread outside any pool whose call waits at that pool's entry, or has begun. Asks
// guests for their turn if the call takes longer than short ones do.
void wait_for_turn(rendezvous& state, pool_impl& pool) noexcept;

// ---- The ender. The waiter sees what happened before.

// Settles the state. A thread that waited is woken. A greedy fiber of this worker's pool that
// waited is resumed at once, on this worker, and then settle() does not return; any other fiber is
// made ready.
void settle(rendezvous& state, rendezvous::word how) noexcept;

// Settles the state. A thread that waited is woken; a fiber that waited is returned, else nullptr:
// the caller has to resume it or make it ready.
[[nodiscard]] fiber* settle_for_fiber(rendezvous& state, rendezvous::word how) noexcept;

// Hands a suspended fiber that can continue to its pool. Any thread.
void make_ready(fiber& f) noexcept;

}  // namespace heist::inline v0::detail
