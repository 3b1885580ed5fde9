#include "lab/checks/run_checker.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heist::lab {

namespace {

bool is_greedy(const run_settings& settings) {
  using enum scheduler_kind;
  const auto kind = settings.scheduler;
  if (settings.queue_cost > 0) return false;
  return kind == greedy || kind == level_by_level || kind == busy_leaves || kind == fifo ||
         kind == lifo || kind == longest_first || kind == shortest_first || kind == by_priority;
}

std::string state_of(const explicit_dag& dag, thread_id running, const ready_deque& deque) {
  std::string text = running == no_id ? "nothing" : dag.thread_name(running);
  text += " runs; the deque from the bottom:";
  for (std::size_t i = deque.size(); i-- > 0;) text += " " + dag.thread_name(deque[i]);
  return text;
}

}  // namespace

run_checker::run_checker(const explicit_dag& dag, const run_settings& settings)
    : dag_(&dag),
      settings_(settings),
      has_greedy_bound_(is_greedy(settings)),
      has_lemma_4_(settings.scheduler == scheduler_kind::work_stealing &&
                   dag.kind() == strictness::fully_strict) {
  has_busy_leaves_ = has_lemma_4_ || settings.scheduler == scheduler_kind::busy_leaves;
  executed_in_.assign(dag.node_count(), 0);
  last_spawned_.assign(dag.thread_count(), no_id);
  runs_on_.assign(dag.thread_count(), 0);
  runs_in_.assign(dag.thread_count(), 0);
  place_of_leaf_.assign(dag.thread_count(), no_id);
  add_leaf(0);
  if (!has_lemma_4_) return;
  augmented_.emplace(dag);
  for (node_id v = 0; v < dag.node_count(); ++v) missing_.push_back(augmented_->in_degree(v));
}

void run_checker::begin_step(std::uint64_t step, const std::vector<thread_id>& running,
                             const explicit_threads& threads) {
  for (std::uint32_t p = 0; p < running.size(); ++p) {
    const thread_id thread = running[p];
    if (thread == no_id) continue;
    if (runs_in_[thread] == step)
      throw check_error(fmt::format("step {}: processors {} and {} execute {} at once", step,
                                    runs_on_[thread] + 1, p + 1, dag_->thread_name(thread)));
    if (!threads.is_ready(thread))
      throw check_error(fmt::format("step {}: processor {} executes {}, which isn't ready", step,
                                    p + 1, dag_->thread_name(thread)));
    runs_in_[thread] = step;
    runs_on_[thread] = p;
  }
  if (!has_busy_leaves_) return;
  check_leaves(step);
  const auto bound = dag_->stack_depth() * settings_.processors;
  if (threads.space() > bound)
    throw check_error(fmt::format("step {}: the living threads' frames are {}, more than S1 P = {}",
                                  step, threads.space(), bound));
}

void run_checker::check_leaves(std::uint64_t step) const {
  thread_id idle = no_id;
  for (const thread_id leaf : leaves_)
    if (runs_in_[leaf] != step) idle = std::min(idle, leaf);
  if (idle != no_id)
    throw check_error(fmt::format("step {}: the leaf {} of the spawn tree isn't being executed",
                                  step, dag_->thread_name(idle)));
}

void run_checker::add_leaf(thread_id thread) {
  place_of_leaf_[thread] = static_cast<std::uint32_t>(leaves_.size());
  leaves_.push_back(thread);
}

void run_checker::remove_leaf(thread_id thread) {
  const auto place = std::exchange(place_of_leaf_[thread], no_id);
  if (place == no_id) return;
  const auto last = leaves_.back();
  leaves_.pop_back();
  if (last == thread) return;
  leaves_[place] = last;
  place_of_leaf_[last] = place;
}

void run_checker::executed(std::uint64_t step, std::uint32_t, thread_id thread, const outcome& did,
                           const explicit_threads& threads) {
  const node_id v = threads.next(thread) - 1;
  executed_in_[v] = step;
  last_spawned_[thread] = did.spawned;
  if (did.spawned != no_id) {
    remove_leaf(thread);
    add_leaf(did.spawned);
  }
  if (did.thread == outcome::fate::died) {
    remove_leaf(thread);
    const thread_id parent = dag_->parent(thread);
    if (parent != no_id && threads.is_alive(parent) && threads.living_children(parent) == 0)
      add_leaf(parent);
  }
  if (augmented_ && missing_[v] == 0) mark_executed(v);
}

// Marks a node that is executed, as are all its predecessors in the augmented DAG. Its successors
// may have none missing now.
void run_checker::mark_executed(node_id v) {
  std::vector<node_id> waiting = {v};
  while (!waiting.empty()) {
    const node_id done = waiting.back();
    waiting.pop_back();
    augmented_->each_successor(done, [&](node_id to) {
      if (--missing_[to] == 0 && executed_in_[to] != 0) waiting.push_back(to);
    });
  }
}

void run_checker::check_deque(std::uint64_t step, std::uint32_t p, thread_id running,
                              const ready_deque& deque, const explicit_threads& threads) const {
  const auto size = deque.size();
  const auto fail = [&](std::string_view what) {
    throw check_error(fmt::format("after step {}, processor {}: {} ({})", step, p + 1, what,
                                  state_of(*dag_, running, deque)));
  };
  if (running == no_id && size > 0) fail("it has threads and executes none");
  // Numbered as in the lemma: 0 is executed, 1 is at the bottom.
  thread_id below = running;
  for (std::size_t i = 1; i <= size; ++i) {
    const thread_id thread = deque[size - i];
    if (dag_->parent(below) != thread) fail("Lemma 4: not a chain of parents");
    if (i < size && last_spawned_[thread] != below)
      fail(fmt::format("Lemma 4: {} was executed since it spawned {}", dag_->thread_name(thread),
                       dag_->thread_name(below)));
    if (i + 1 < size && missing_[threads.next(thread)] == 0)
      fail(fmt::format("{} is critical, with more than one thread above its own",
                       dag_->node_name(threads.next(thread))));
    below = thread;
  }
}

void run_checker::finish(const run_result& result) {
  const auto p = settings_.processors;
  if (result.work != dag_->work())
    throw check_error(fmt::format("WORK is {} and T1 {}", result.work, dag_->work()));
  if (result.work + result.attempts + result.wait + result.idle != p * result.steps)
    throw check_error(fmt::format("{} + {} + {} + {} dollars in {} steps of {} processors",
                                  result.work, result.attempts, result.wait, result.idle,
                                  result.steps, p));
  report_.runs = 1;
  report_.steps = result.steps;
  if (has_greedy_bound_ && p * result.steps > dag_->work() + dag_->span() * p)
    throw check_error(fmt::format("greedy, and T is {}: more than T1/P + Tinf = {}/{} + {}",
                                  result.steps, dag_->work(), p, dag_->span()));
  if (!has_lemma_4_) return;
  report_.augmented_span = augmented_->span();
  if (augmented_->span() > 2 * dag_->span())
    throw check_error(fmt::format("the augmented DAG's longest path is {}, more than 2 Tinf = {}",
                                  augmented_->span(), 2 * dag_->span()));
  find_rounds(result);
  follow_delay_sequence();
}

// Finds the steps in which rounds end.
void run_checker::find_rounds(const run_result& result) {
  const std::uint64_t p = settings_.processors;
  std::uint64_t before = 0;
  std::uint64_t last_end = 0;
  for (std::uint64_t step = 1; step <= result.steps; ++step) {
    const auto size = attempts_[step - 1] - before;
    if (size < 3 * p) continue;
    if (size >= 4 * p || step - last_end < 4)
      throw check_error(fmt::format("the round of attempts in steps {} to {} has {} of them",
                                    last_end + 1, step, size));
    round_ends_.push_back(step);
    before = attempts_[step - 1];
    last_end = step;
  }
  report_.rounds = round_ends_.size();
}

void run_checker::follow_delay_sequence() {
  // Follows a path back from the last instruction. For each one it takes the step from which the
  // instruction is no longer critical, and goes on to the predecessor in the augmented DAG of which
  // that step is the latest: from the step after, the instruction itself may be critical.
  auto done_in = executed_in_;
  std::vector<node_id> latest(dag_->node_count(), no_id);
  for (const node_id v : augmented_->order()) {
    if (latest[v] != no_id) done_in[v] = std::max(done_in[v], done_in[latest[v]]);
    augmented_->each_successor(v, [&](node_id to) {
      if (latest[to] == no_id || done_in[latest[to]] < done_in[v]) latest[to] = v;
    });
  }
  std::vector<node_id> path;
  for (node_id v = dag_->last(0); v != no_id; v = latest[v]) path.push_back(v);
  std::reverse(path.begin(), path.end());
  if (path.front() != dag_->first(0) || path.size() > augmented_->span())
    throw check_error(fmt::format("a delay sequence of {} instructions from {}", path.size(),
                                  dag_->node_name(path.front())));
  // A round belongs to an instruction's group if the instruction was critical from the round's
  // first step to its last. A round in which the instruction ceases to be critical lies between two
  // groups.
  std::uint64_t grouped = 0;
  std::uint64_t between = 0;
  std::size_t round = 0;
  for (const node_id v : path) {
    const auto until = done_in[v];
    std::uint64_t group = 0;
    for (; round < round_ends_.size() && round_ends_[round] <= until; ++round) ++group;
    grouped += group;
    report_.longest_group = std::max(report_.longest_group, group);
    const bool stretches = round < round_ends_.size() && v != path.back() &&
                           (round == 0 ? 0 : round_ends_[round - 1]) < until;
    if (!stretches) continue;
    ++between;
    ++round;
  }
  report_.delay_path = path.size();
  if (grouped + between != round_ends_.size() || between > path.size())
    throw check_error(fmt::format("{} rounds in groups and {} between them, of {}", grouped,
                                  between, round_ends_.size()));
}

}  // namespace heist::lab
