// What each lane did when, derived from the events.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/log.hpp"

namespace heist::inline v0::trace {

enum class lane_state : std::uint8_t { working, idle, parked, blocked };
inline constexpr const char* state_names[] = {"working", "idle", "parked", "blocked"};

struct slice {
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint32_t lane = 0;
  lane_state state = lane_state::working;
  std::uint32_t region = 0;          // of a working lane; index into names
  idle_why why = idle_why::no_work;  // of an idle or parked one
  // Of a worker, or of a thread outside while it works in a pool.
  bool in_pool = false;
};

// Slices of one lane never overlap and come in order of time; slices of zero length are left out. A
// worker has them from its first event until it leaves, another lane only where it was in a region,
// a job or a blocking call. Events that were lost make the time before the first one that is left
// wrong, and nothing else.
[[nodiscard]] std::vector<slice> slices_of(const log& recorded);

}  // namespace heist::inline v0::trace
