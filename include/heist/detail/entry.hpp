// Entering a pool: how a loop or an algorithm comes to a worker, and how many workers there are.
#pragma once

#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/race.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/spawn_path.hpp"

namespace heist::inline v0::detail {

// workers_here() on a thread outside any pool.
[[gnu::cold]] HEIST_API unsigned workers_outside();

// How many workers the caller's pool has; 1 where every fork is a call (HEIST_SERIAL); 0 on a
// thread outside any pool. Throws usage_error for a bad HEIST_SERIAL.
[[gnu::always_inline]] inline unsigned workers_here() {
  const worker_front* const w = this_worker_front();
  if (w != nullptr) [[likely]]
    return race::seen_workers(w->workers);
  return race::seen_workers(workers_outside());
}

// Calls f(workers) on a worker: on the caller, or on one of the default pool.
template <class F>
auto on_a_worker(F&& f) {
  const unsigned workers = workers_here();
  if (workers != 0) [[likely]]
    return f(workers);
  return run_in(nullptr, [&f] { return f(workers_here()); });
}

}  // namespace heist::inline v0::detail
