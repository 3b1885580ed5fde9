// What each lane did when, derived from the events.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "trace/log.hpp"

namespace heist::inline v0::trace {

enum class lane_state : std::uint8_t { working, idle, parked, blocked };
inline constexpr const char* state_names[] = {"working", "idle", "parked", "blocked"};

// What a lane does from some moment on.
struct lane_now {
  bool is_there = false;  // else it does nothing that a trace shows
  lane_state state = lane_state::idle;
  std::uint32_t region = 0;          // of a working lane; index into names
  idle_why why = idle_why::no_work;  // of an idle or parked one
  // Of a worker, or of a thread outside while it works in a pool.
  bool in_pool = false;

  bool operator==(const lane_now&) const = default;
};

// What only later events tell of earlier ones: a spell without work says at its end why there was
// none, and a thread's use of its processor what happened since it was last asked.
struct foresight {
  struct usage {
    std::uint64_t until_ns;
    float share;  // of the time in which it could run, the part for which it had a processor
  };
  struct lane {
    std::vector<idle_why> spells;  // from each idle_begin or idle_end to the next one
    std::vector<usage> used;       // by time
    std::uint64_t processor_ns = 0, ready_ns = 0;
  };
  std::vector<lane> lanes;
  bool knows_usage = false;  // the system has told it
};
// Reads all events once. Memory: a byte for each spell, 16 for each usage.
[[nodiscard]] foresight foresee(const log& recorded);

// Follows the lanes from event to event.
class lane_follower {
 public:
  lane_follower(const log& recorded, const foresight& ahead);
  // What the event's lane does from then on. A worker is there from its first event until it
  // leaves, another lane only where it is in a region, a job or a blocking call. Events that were
  // lost make the time before the first one that is left wrong, and nothing else.
  const lane_now& see(const event& e);
  [[nodiscard]] const lane_now& now(std::uint32_t lane) const { return lanes_[lane].now; }

 private:
  struct followed {
    lane_now now;
    bool is_worker = false, in_job = false;
    std::size_t spell = 0;
  };
  const foresight& ahead_;
  std::vector<followed> lanes_;
};

struct slice {
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint32_t lane = 0;
  lane_now what;
};

// Slices of one lane never overlap and come in order of time; slices of zero length are left out.
void each_slice(const log& recorded, const foresight& ahead,
                const std::function<void(const slice&)>& see);

}  // namespace heist::inline v0::trace
