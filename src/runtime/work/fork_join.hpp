// The slow half of a join. What fork_join.hpp calls is declared there.
#pragma once

#include "heist/detail/hot_path.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

// fork_slow() without a look at the pool's entry: the worker stays the same. False: every fork is a
// call (HEIST_SERIAL). Throws usage_error for a bad HEIST_SERIAL.
bool push_slow();

// After take_private(h) has refused: whether the newest entry, j at position h, is still the
// owner's.
bool take_back(worker& w, position h, job& j) noexcept;

// Waits for the stolen job at position h; answers how it ended. Pending: no worker has begun it,
// and it is the caller's again (J4).
std::uintptr_t wait_for_stolen(position h, job& j) noexcept;

// A job that was stolen has ended: its slot becomes an ordinary one again. Returns the job if it
// has a result, else nullptr; `throws`: its exception instead.
job* taken_back_result(job& j, std::uintptr_t how, bool throws);

// After take_private has refused a pushed child of a scope: its slot if it is still the owner's,
// nullptr when another worker has run it. May suspend the fiber.
job* join_child() noexcept;

}  // namespace heist::inline v0::detail
