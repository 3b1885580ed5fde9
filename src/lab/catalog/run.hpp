// Runs a thread system with the scheduler and the engine that the settings ask for. These are
// templates, which a few sources instantiate, so that no scheduler calls through a pointer.
#pragma once

#include <fmt/format.h>

#include <heist/error.hpp>

#include "lab/catalog/computation.hpp"
#include "lab/catalog/kernels.hpp"
#include "lab/engines/event_engine.hpp"
#include "lab/engines/kernel_engine.hpp"
#include "lab/engines/timed_engine.hpp"
#include "lab/schedulers/busy_leaves.hpp"
#include "lab/schedulers/central_queue.hpp"
#include "lab/schedulers/greedy.hpp"
#include "lab/schedulers/planned.hpp"
#include "lab/schedulers/work_stealing.hpp"

namespace heist::lab {

// Throws usage_error for a number of processors that is too small or too large.
void check_processors(std::uint64_t processors);

// Whether the event engine can run the scheduler. It can't run the two that choose anew in each
// step.
[[nodiscard]] inline bool has_events(scheduler_kind kind) {
  return kind != scheduler_kind::greedy && kind != scheduler_kind::level_by_level;
}

template <class Threads, class Scheduler, class Observer>
run_result run_with(Threads& threads, Scheduler scheduler, const run_settings& settings,
                    Observer& observer) {
  if constexpr (std::is_same_v<Observer, no_observer>)
    if (settings.engine != engine_kind::step)
      return run_events(threads, scheduler, settings.processors);
  return run_steps(threads, scheduler, settings.processors, observer);
}

template <class Threads, class Observer>
run_result run_stealing(Threads& threads, const run_settings& settings, Observer& observer) {
  auto stealing = settings.stealing;
  if (settings.scheduler == scheduler_kind::child_stealing)
    stealing.spawn = spawn_order::parent_first;
  const bool is_aggregated = std::is_same_v<Observer, no_observer> &&
                             settings.engine != engine_kind::step &&
                             work_stealing::can_aggregate(stealing);
  const auto how = is_aggregated ? attempts::aggregated : attempts::one_by_one;
  return run_with(threads, work_stealing(settings.processors, stealing, how, settings.seed),
                  settings, observer);
}

template <class Threads, class Observer>
run_result run_on(Threads& threads, const run_settings& settings, Observer& observer) {
  const auto p = settings.processors;
  using enum scheduler_kind;
  const auto central = [&](pool_order order) {
    return run_with(threads, central_queue<Threads>(threads, p, order, settings.queue_cost),
                    settings, observer);
  };
  const auto plan = [&](assignment how) {
    return run_with(threads, planned<Threads>(threads, p, how, settings.seed), settings, observer);
  };
  switch (settings.scheduler) {
    case greedy:
      return run_ready_set(threads, p, ready_choice::oldest, observer);
    case level_by_level:
      return run_ready_set(threads, p, ready_choice::by_level, observer);
    case scheduler_kind::busy_leaves:
      return run_with(threads, lab::busy_leaves<Threads>(threads, p), settings, observer);
    case scheduler_kind::work_stealing:
    case child_stealing:
      return run_stealing(threads, settings, observer);
    case fifo:
      return central(pool_order::fifo);
    case lifo:
      return central(pool_order::lifo);
    case longest_first:
      return central(pool_order::longest_first);
    case shortest_first:
      return central(pool_order::shortest_first);
    case by_priority:
      return central(pool_order::by_priority);
    case static_blocks:
      return plan(assignment::blocks);
    case interleaved:
      return plan(assignment::interleaved);
    case work_sharing:
      return plan(assignment::random);
  }
  return {};
}

template <class Threads>
kernel_result run_under(Threads& threads, const kernel_settings& settings, std::uint64_t span) {
  check_processors(settings.processes);
  const auto chooser = make_kernel(settings.kernel, settings.processes, span, settings.seed);
  if (settings.scheduler == user_scheduler::greedy)
    return run_greedy_under(threads, *chooser, settings);
  return abp_run(threads, *chooser, settings)();
}

// Throws usage_error for settings that no run can have. Only DAGs that lie in memory give threads
// priorities.
void check_settings(const run_settings& settings, bool has_priorities = false);

}  // namespace heist::lab
