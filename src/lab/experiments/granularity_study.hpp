// How finely to cut work: a loop in f P tasks, from one for each processor to many, under
// schedulers from a plan to stealing. Few large tasks leave processors idle at the end; many small
// ones cost more than they bring.
//
// Of the P T steps that processors have, the loop's own work takes T1. A processor's other steps
// are *overhead* (taking, stealing, waiting for either) as long as it executes something later or
// there is a task that it may begin; after that they are *idle*. The *tail* is the time in which
// some processor is idle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/granularity_costs.hpp"
#include "lab/schedulers/settings.hpp"
#include "report/statistics.hpp"

namespace heist::lab {

enum class task_scheduler {
  blocks,
  interleaved,
  guided,
  fifo,
  lifo,
  longest_first,
  shortest_first,
  stealing,
};

struct task_scheduler_name {
  task_scheduler kind;
  std::string_view name, summary;
};

[[nodiscard]] const std::vector<task_scheduler_name>& task_schedulers();
[[nodiscard]] std::string_view to_string(task_scheduler kind);

enum class queue_kind {
  exclusive,  // one take at a time
  shared,     // takes overlap: each costs its processor alone
};

struct granularity_setup {
  std::uint32_t processors = 16;
  std::uint64_t work = 10'000'000;  // T1, in steps
  cost_kind costs = cost_kind::exponential;
  std::uint32_t finest = 128;      // the most tasks for each processor; they are the loop's grains
  std::uint32_t queue_cost = 400;  // steps that a take from a queue or a steal attempt costs
  queue_kind queue = queue_kind::exclusive;
  std::uint64_t seeds = 10;
  std::uint64_t seed = 1;
};

inline constexpr std::uint32_t max_task_processors = 4096;
inline constexpr std::uint64_t max_grains = 1U << 22U;

struct granularity_row {
  task_scheduler scheduler{};
  hint_kind hint{};          // of an order by length
  std::uint32_t factor = 1;  // tasks for each processor
  report::summary tasks;     // how many there were; f P unless they are guided
  report::summary time, balance, overhead, idle, tail;

  [[nodiscard]] std::string name() const;  // "longest-first:noisy"
};

// Throws usage_error for a setup that no run can have.
void check_setup(const granularity_setup& setup);

[[nodiscard]] granularity_row study_granularity(const granularity_setup& setup,
                                                task_scheduler scheduler, hint_kind hint,
                                                std::uint32_t factor);

}  // namespace heist::lab
