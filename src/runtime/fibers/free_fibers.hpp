// The free fibers of a worker: taking one, and putting it back.
//
//   spares    stacks of children that have returned, ready for the next spawn; at most max_spares
//   reserve   one more, for a wait when no other fiber is left
//   cached    at most max_cached; where the pool starves, none
//   then the pool's (stack_pool), and then the system's
#pragma once

#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

// A fiber to run next, from the cache, the pool, the system or the spares; nullptr if there is
// none.
fiber* take_fiber(worker& w) noexcept;

// A fiber for the worker to run while its current one waits. Where the system refuses stacks it is
// the reserve, and then the thread's own stack, which resumes other fibers but begins nothing
// itself.
fiber& take_fiber_to_wait(worker& w) noexcept;

// A stack that counts as in use is free now; the worker may keep it in the count
// (worker::counted_stacks) until it uses the next, or calls forget_free().
void note_free(worker& w) noexcept;
void forget_free(worker& w) noexcept;

// The function that ran on f has ended: f is free, except its slots where others use them.
void recycle_fiber(worker& w, fiber& f) noexcept;

// f is free, and nobody uses its slots: for the worker, or for the pool.
void keep_free_fiber(worker& w, fiber& f) noexcept;

// Gives the cached fibers to workers that starve: they can't reach into this worker's cache. The
// reserve stays.
void share_cached(worker& w) noexcept;

// The newest of the spares; nullptr if there is none.
fiber* take_spare(worker& w) noexcept;

// Gives up all spares.
void recycle_spares(worker& w) noexcept;

// Counts the spares anew: an inlined spawn doesn't count, and keeps the number of older spares that
// it found, which is too low where children that returned meanwhile have made the list longer.
void recount_spares(worker& w) noexcept;

}  // namespace heist::inline v0::detail
