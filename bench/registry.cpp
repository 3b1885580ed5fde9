#include "bench/benchmark.hpp"

namespace heist::bench {

const std::vector<benchmark>& all() {
  static const std::vector<benchmark> every = {fork_join_benchmark(),
                                               multiprogrammed_benchmark(),
                                               abp_benchmark(),
                                               locks_benchmark(),
                                               long_leaf_benchmark(),
                                               idle_benchmark(),
                                               wake_benchmark(),
                                               entry_benchmark(),
                                               callers_benchmark(),
                                               priorities_benchmark(),
                                               latency_benchmark(),
                                               memory_benchmark(),
                                               space_benchmark(),
                                               deque_benchmark(),
                                               api_benchmark(),
                                               sort_benchmark(),
                                               tree_benchmark(),
                                               chunks_benchmark(),
                                               small_loops_benchmark(),
                                               placement_benchmark(),
                                               presets_benchmark(),
                                               observe_benchmark(),
                                               race_benchmark(),
                                               scope_benchmark(),
                                               jobs_benchmark(),
                                               granularity_benchmark(),
                                               distribution_benchmark(),
                                               assignment_benchmark(),
                                               long_tasks_first_benchmark(),
                                               steals_benchmark(),
                                               steal_size_benchmark(),
                                               deque_sizes_benchmark(),
                                               spawns_benchmark(),
                                               stolen_work_benchmark(),
                                               spawn_order_benchmark(),
                                               joins_benchmark(),
                                               select_benchmark(),
                                               flat_loops_benchmark(),
                                               pipeline_benchmark(),
                                               waits_benchmark()};
  return every;
}

}  // namespace heist::bench
