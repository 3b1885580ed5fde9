#include "lab/catalog/run.hpp"

#include "lab/catalog/schedulers.hpp"

namespace heist::lab {

void check_processors(std::uint64_t processors) {
  if (processors == 0 || processors > max_processors)
    throw usage_error(fmt::format("P is from 1 to {}, not {}", max_processors, processors));
}

void check_settings(const run_settings& settings, bool has_priorities) {
  check_processors(settings.processors);
  using enum scheduler_kind;
  const auto kind = settings.scheduler;
  const bool has_queue = kind == fifo || kind == lifo || kind == longest_first ||
                         kind == shortest_first || kind == by_priority;
  if (kind == by_priority && !has_priorities)
    throw usage_error("the scheduler priority needs a DAG's file, which gives threads theirs");
  if (settings.queue_cost > max_queue_cost)
    throw usage_error(fmt::format("a take from a queue costs at most {} steps, not {}",
                                  max_queue_cost, settings.queue_cost));
  if (settings.queue_cost > 0 && !has_queue)
    throw usage_error(fmt::format("{} has no central queue that could cost something",
                                  to_string(settings.scheduler)));
  if (settings.engine == engine_kind::event && !has_events(settings.scheduler))
    throw usage_error(fmt::format("{} chooses anew in each step: it has no event engine",
                                  to_string(settings.scheduler)));
}

const std::vector<scheduler_name>& schedulers() {
  using enum scheduler_kind;
  static const std::vector<scheduler_name> all = {
      {work_stealing, "work-stealing", "a deque each; a spawn leaves the parent to thieves"},
      {child_stealing, "child-stealing", "a deque each; a spawn leaves the child to thieves"},
      {busy_leaves, "busy-leaves", "one pool; a spawn returns the parent to it"},
      {greedy, "greedy", "each step runs the instructions that were ready first"},
      {level_by_level, "level-by-level", "a level of the DAG is done before the next one begins"},
      {fifo, "fifo", "one queue; the oldest thread first"},
      {lifo, "lifo", "one queue; the newest thread first"},
      {longest_first, "longest-first", "one queue; the thread with most work ahead first"},
      {shortest_first, "shortest-first", "one queue; the thread with least work ahead first"},
      {by_priority, "priority",
       "one queue; the thread with the largest priority in a DAG's file first"},
      {static_blocks, "static", "a loop's iterations dealt out in blocks; nobody helps"},
      {interleaved, "interleaved", "a loop's iterations dealt out in turns; nobody helps"},
      {work_sharing, "work-sharing", "a queue each; a new thread goes to a processor at random"},
  };
  return all;
}

std::string_view to_string(scheduler_kind kind) {
  for (const auto& each : schedulers())
    if (each.kind == kind) return each.name;
  return {};
}

}  // namespace heist::lab
