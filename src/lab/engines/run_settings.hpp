// The settings of a run by the step engine or the event engine.
#pragma once

#include <cstdint>

#include "lab/schedulers/settings.hpp"

namespace heist::lab {

enum class scheduler_kind {
  greedy,
  level_by_level,
  busy_leaves,
  work_stealing,
  child_stealing,
  fifo,
  lifo,
  longest_first,
  shortest_first,
  by_priority,  // the priorities that a DAG's file gives
  static_blocks,
  interleaved,
  work_sharing,
};

enum class engine_kind {
  best,   // the event engine where the scheduler allows it
  step,   // step by step, every steal attempt on its own
  event,  // from event to event; attempts are aggregated where they can be
};

struct run_settings {
  scheduler_kind scheduler = scheduler_kind::work_stealing;
  std::uint32_t processors = 1;
  std::uint64_t seed = 1;
  engine_kind engine = engine_kind::best;
  // Steps that a take from a central queue keeps the processor and the queue.
  std::uint32_t queue_cost = 0;
  stealing_settings stealing;  // of the stealing schedulers; its spawn order follows from the kind
};

inline constexpr std::uint32_t max_processors = 1'000'000;

}  // namespace heist::lab
