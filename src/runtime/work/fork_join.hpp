// The slow half of a join. What fork_join.hpp calls is declared there.
#pragma once

#include "heist/detail/hot_path.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

// After take_private(h) has refused: whether the newest entry, j at position h, is still the
// owner's.
bool take_back(worker& w, position h, job& j) noexcept;

// join_slow() and join_abandoned() of that worker, whatever its pool is like.
job* join_any(worker& w, bool throws);
// The rest of them when the job at position h has been stolen.
job* join_stolen(position h, job& j, bool throws);
// fork_path::take of that worker, whatever its pool is like.
popped_entry take_any(worker& w) noexcept;
// Waits for that entry, which was stolen. Nullptr: another worker has run it. Otherwise nobody has
// begun it, and it is the caller's again (J4). May suspend the fiber.
job* take_stolen(worker& w, job& slot) noexcept;

// Waits for the stolen job at position h; answers how it ended. Pending: no worker has begun it,
// and it is the caller's again (J4).
std::uintptr_t wait_for_stolen(position h, job& j) noexcept;

// A job that was stolen has ended: its slot becomes an ordinary one again. Returns the job if it
// has a result, else nullptr; `throws`: its exception instead.
job* taken_back_result(job& j, std::uintptr_t how, bool throws);

// After take_private has refused a pushed child of a scope: its slot if it is still the owner's,
// nullptr when another worker has run it. May suspend the fiber.
inline job* join_child() noexcept {
  worker& w = *worker_here();
  const popped_entry newest = w.path.take(w);
  return newest.is_owners ? newest.slot : take_stolen(w, *newest.slot);
}

}  // namespace heist::inline v0::detail
