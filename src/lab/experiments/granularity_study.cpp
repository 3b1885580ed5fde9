#include "lab/experiments/granularity_study.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "lab/engines/event_engine.hpp"
#include "lab/programs/loop_tasks.hpp"
#include "lab/schedulers/central_queue.hpp"
#include "lab/schedulers/planned.hpp"
#include "lab/schedulers/work_stealing.hpp"

namespace heist::lab {

namespace {

// Wraps a scheduler and notes for each processor how many steps were the loop's own work, and until
// when it worked.
template <class Threads, class Scheduler>
class watched {
 public:
  static constexpr std::uint64_t patience = Scheduler::patience;

  watched(Threads& threads, Scheduler scheduler, std::uint32_t processors)
      : threads_(&threads),
        scheduler_(std::move(scheduler)),
        useful_(processors, 0),
        until_(processors, 0) {}

  // By processor: the steps of the loop's own work, and the step in which it last worked.
  [[nodiscard]] const std::vector<std::uint64_t>& useful() const { return useful_; }
  [[nodiscard]] const std::vector<std::uint64_t>& until() const { return until_; }
  // The end of the step before the last task began.
  [[nodiscard]] std::uint64_t last_begin() const { return last_begin_; }

  template <class Assign>
  void start(thread_id root, Assign assign) {
    scheduler_.start(root, noting(0, assign));
  }
  thread_id after(std::uint32_t p, thread_id thread, const outcome& did) {
    const thread_id next = scheduler_.after(p, thread, did);
    if (next != no_id) note(p, next, until_[p]);  // it begins the next thread at once
    return next;
  }
  template <class Assign>
  void end_step(std::uint64_t step, Assign assign) {
    scheduler_.end_step(step, noting(step, assign));
  }
  template <class Assign>
  void between(std::uint64_t& step, std::uint64_t last, Assign assign) {
    scheduler_.between(step, last, [&](std::uint32_t p, thread_id thread) {
      note(p, thread, step);
      assign(p, thread);
    });
  }
  void account(run_result& result) const { scheduler_.account(result); }

 private:
  template <class Assign>
  auto noting(std::uint64_t step, Assign assign) {
    return [this, step, assign](std::uint32_t p, thread_id thread) {
      note(p, thread, step);
      assign(p, thread);
    };
  }
  void note(std::uint32_t p, thread_id thread, std::uint64_t after) {
    const auto useful = threads_->program().useful(threads_->frame(thread));
    useful_[p] += useful;
    if (useful > 0) last_begin_ = std::max(last_begin_, after);
    until_[p] = after + threads_->weight(thread);
  }

  Threads* threads_;
  Scheduler scheduler_;
  std::vector<std::uint64_t> useful_, until_;
  std::uint64_t last_begin_ = 0;
};

// Which tasks a processor may begin.
enum class open_to { its_own, all };

// Adds a run to the row.
template <class Program, class Make>
void run_loop(const granularity_setup& setup, granularity_row& row, Program program, open_to tasks,
              Make make_scheduler) {
  using threads_type = fork_join_threads<Program>;
  threads_type threads(std::move(program));
  auto scheduler = make_scheduler(threads);
  watched<threads_type, decltype(scheduler)> watch(threads, std::move(scheduler), setup.processors);
  const auto result = run_events(threads, watch, setup.processors);
  auto until = watch.until();
  if (tasks == open_to::all)
    for (auto& each : until) each = std::max(each, watch.last_begin());
  const auto& useful = watch.useful();
  const auto all_steps = static_cast<double>(result.steps) * setup.processors;
  const auto done = std::accumulate(useful.begin(), useful.end(), std::uint64_t{0});
  const auto until_last = std::accumulate(until.begin(), until.end(), std::uint64_t{0});
  row.time.add(static_cast<double>(result.steps));
  row.balance.add(static_cast<double>(done) / setup.processors /
                  static_cast<double>(*std::max_element(useful.begin(), useful.end())));
  row.overhead.add(static_cast<double>(until_last - done) / all_steps);
  row.idle.add((all_steps - static_cast<double>(until_last)) / all_steps);
  row.tail.add(static_cast<double>(result.steps - *std::min_element(until.begin(), until.end())));
}

bool is_by_length(task_scheduler kind) {
  return kind == task_scheduler::longest_first || kind == task_scheduler::shortest_first;
}

// The grains at which tasks begin, and the end of the last one. Guided tasks take half of what is
// left, divided evenly among the processors, down to the size asked for (Polychronopoulos, Kuck
// 1987).
std::vector<std::uint64_t> cut(const granularity_setup& setup, task_scheduler scheduler,
                               std::uint32_t factor) {
  const auto p = std::uint64_t{setup.processors};
  const auto grains = p * setup.finest;
  const auto tasks = p * factor;
  std::vector<std::uint64_t> ends = {0};
  if (scheduler == task_scheduler::guided) {
    const auto least = (grains + tasks - 1) / tasks;
    while (ends.back() < grains) {
      const auto left = grains - ends.back();
      ends.push_back(ends.back() + std::min(left, std::max(least, left / (2 * p))));
    }
    return ends;
  }
  for (std::uint64_t i = 1; i <= tasks; ++i) ends.push_back(grains * i / tasks);
  return ends;
}

// Of equal tasks the one that comes first in the loop goes first.
void sort_by_hint(std::vector<loop_task>& tasks, task_scheduler scheduler) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;  // key, place in the loop
  for (std::size_t i = 0; i < tasks.size(); ++i)
    order.emplace_back(scheduler == task_scheduler::longest_first ? ~tasks[i].hint : tasks[i].hint,
                       i);
  std::sort(order.begin(), order.end());
  const auto in_loop = tasks;
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i] = in_loop[order[i].second];
}

std::vector<loop_task> make_tasks(const granularity_setup& setup, task_scheduler scheduler,
                                  hint_kind hint, std::uint32_t factor, rng& random) {
  const auto p = std::uint64_t{setup.processors};
  const auto costs = draw_costs(setup.costs, setup.work, p * setup.finest, p, random);
  const auto ends = cut(setup, scheduler, factor);
  std::vector<loop_task> tasks(ends.size() - 1, {0, 0});
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (auto grain = ends[i]; grain < ends[i + 1]; ++grain) {
      tasks[i].cost += costs.now[grain];
      tasks[i].hint += hint == hint_kind::history ? costs.before[grain] : costs.now[grain];
    }
    if (hint == hint_kind::noisy) tasks[i].hint = noisy(tasks[i].hint, random);
  }
  // The root spawns the tasks in this order, as a queue would give the first ones away before it
  // has the others.
  if (is_by_length(scheduler)) sort_by_hint(tasks, scheduler);
  return tasks;
}

// Adds a run of the row's scheduler to it.
void run_once(const granularity_setup& setup, granularity_row& row,
              const std::vector<loop_task>& tasks, std::uint64_t seed) {
  const auto p = setup.processors;
  const auto plan = [&](assignment how) {
    run_loop(setup, row, task_list_program{&tasks, 0}, open_to::its_own,
             [&](auto& threads) { return planned(threads, p, how, seed); });
  };
  const auto queue = [&](pool_order order) {
    const bool is_shared = setup.queue == queue_kind::shared;
    run_loop(setup, row, task_list_program{&tasks, is_shared ? setup.queue_cost : 0}, open_to::all,
             [&](auto& threads) {
               return central_queue(threads, p, order, is_shared ? 0 : setup.queue_cost);
             });
  };
  switch (row.scheduler) {
    case task_scheduler::blocks:
      return plan(assignment::blocks);
    case task_scheduler::interleaved:
      return plan(assignment::interleaved);
    case task_scheduler::guided:
    case task_scheduler::fifo:
      return queue(pool_order::fifo);
    case task_scheduler::lifo:
      return queue(pool_order::lifo);
    case task_scheduler::longest_first:
      return queue(pool_order::longest_first);
    case task_scheduler::shortest_first:
      return queue(pool_order::shortest_first);
    case task_scheduler::stealing:
      break;
  }
  stealing_settings settings;
  settings.machine.latency.fill(std::max(1U, setup.queue_cost));
  run_loop(setup, row, task_halves_program{&tasks}, open_to::all,
           [&](auto&) { return work_stealing(p, settings, attempts::one_by_one, seed); });
}

// Chance plays no part where all costs are equal and nobody chooses a victim.
std::uint64_t runs_of(const granularity_setup& setup, task_scheduler scheduler, hint_kind hint) {
  const bool has_chance = (setup.costs != cost_kind::equal && setup.costs != cost_kind::one_long) ||
                          scheduler == task_scheduler::stealing ||
                          (is_by_length(scheduler) && hint != hint_kind::exact);
  return has_chance ? setup.seeds : 1;
}

}  // namespace

const std::vector<task_scheduler_name>& task_schedulers() {
  using enum task_scheduler;
  static const std::vector<task_scheduler_name> all = {
      {blocks, "static", "blocks of tasks, dealt out beforehand"},
      {interleaved, "interleaved", "tasks dealt out in turns, beforehand"},
      {guided, "guided", "one queue; large tasks first, down to the size asked for"},
      {fifo, "fifo", "one queue; tasks in the order of the loop"},
      {lifo, "lifo", "one queue; the newest task first"},
      {longest_first, "longest-first", "one queue, in order of the hints"},
      {shortest_first, "shortest-first", "one queue, in the opposite order"},
      {stealing, "work-stealing", "the loop divided by halves, a deque each"},
  };
  return all;
}

std::string_view to_string(task_scheduler kind) {
  for (const auto& each : task_schedulers())
    if (each.kind == kind) return each.name;
  return {};
}

std::string granularity_row::name() const {
  return is_by_length(scheduler) ? fmt::format("{}:{}", to_string(scheduler), to_string(hint))
                                 : std::string(to_string(scheduler));
}

void check_setup(const granularity_setup& setup) {
  const auto grains = std::uint64_t{setup.processors} * setup.finest;
  if (setup.processors == 0 || setup.processors > max_task_processors)
    throw usage_error(
        fmt::format("P is from 1 to {}, not {}", max_task_processors, setup.processors));
  if (setup.finest == 0 || grains > max_grains)
    throw usage_error(fmt::format("P = {} with {} tasks each: a loop is cut into 1 to {} tasks",
                                  setup.processors, setup.finest, max_grains));
  if (setup.work < grains)
    throw usage_error(fmt::format("{} steps of work are too few for {} tasks of 1 step at least",
                                  setup.work, grains));
}

granularity_row study_granularity(const granularity_setup& setup, task_scheduler scheduler,
                                  hint_kind hint, std::uint32_t factor) {
  check_setup(setup);
  if (factor == 0 || factor > setup.finest)
    throw usage_error(
        fmt::format("tasks for each processor: 1 to {}, not {}", setup.finest, factor));
  granularity_row row;
  row.scheduler = scheduler;
  row.hint = hint;
  row.factor = factor;
  const auto runs = runs_of(setup, scheduler, hint);
  for (std::uint64_t i = 0; i < runs; ++i) {
    rng random(setup.seed + i);  // the same costs for each scheduler and each way to cut
    const auto list = make_tasks(setup, scheduler, hint, factor, random);
    row.tasks.add(static_cast<double>(list.size()));
    run_once(setup, row, list, setup.seed + i);
  }
  return row;
}

}  // namespace heist::lab
