// HEIST_CHECK=moves: joins continue on other threads as often as they can.
//
// After a join a function may be on another thread than before it, which in most programs happens
// once in a hundred joins or less; what a program then does wrong shows as seldom. In a pool with
// this check every fork is offered to all workers at once; a join leaves its work, for a while, to
// a worker that looks for some; and who ends stolen work lets the join suspend first, so that it
// continues where the stolen work ended. While all workers are busy, a join that got its own work
// back goes through the pool's queue, from which any worker takes it.
//
// None of this waits without a bound, or where nobody else could do anything, so a program ends as
// it would otherwise, only later.
#pragma once

#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

// After a fork, at whatever depth: all that the caller's worker has forked is public now.
void offer_to_all(worker& w) noexcept;

// Before the owner takes back the work at position h: another worker may take it meanwhile.
void leave_to_thieves(worker& w, position h, const job& j) noexcept;

// Before the end of stolen work is told.
void await_joiner(const job& j) noexcept;

// When a join has its own work back. Afterwards the thread may be another one.
void go_through_queue(worker& w) noexcept;

}  // namespace heist::inline v0::detail
