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

}  // namespace heist::lab
