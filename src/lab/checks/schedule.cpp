#include "lab/checks/schedule.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace heist::lab {

void schedule_recorder::begin_step(std::uint64_t, const std::vector<thread_id>& running,
                                   const explicit_threads& threads) {
  auto& step = steps_->emplace_back();
  step.deques = deques_;
  for (const thread_id thread : running)
    step.executed.push_back(thread == no_id ? no_id : threads.next(thread));
  for (thread_id id = 0; id < threads.dag().thread_count(); ++id) {
    if (!threads.is_alive(id) || std::find(running.begin(), running.end(), id) != running.end())
      continue;
    (threads.is_ready(id) ? step.ready : step.stalled).push_back(id);
  }
}

namespace {

std::string name_of(node_id v, const explicit_dag& dag) {
  return fmt::format("{}: {}", dag.thread_name(dag.thread_of(v)), dag.node_name(v));
}

bool is_in(thread_id id, const std::vector<thread_id>& threads) {
  return std::find(threads.begin(), threads.end(), id) != threads.end();
}

// The threads that nobody runs; `stalled_only`: where the ready ones are in deques.
std::string pool_of(const schedule_step& step, const explicit_dag& dag, bool stalled_only) {
  std::string pool;
  for (thread_id id = 0; id < dag.thread_count(); ++id) {
    const auto* separator = pool.empty() ? "" : " ";
    if (!stalled_only && is_in(id, step.ready)) pool += separator + dag.thread_name(id);
    if (is_in(id, step.stalled)) pool += fmt::format("{}({})", separator, dag.thread_name(id));
  }
  return pool;
}

// When and where a thread runs.
struct life {
  std::size_t first = 0, last = 0;  // steps in which it executes; 0: never
  std::vector<std::uint32_t> on;    // by step from 0, the processor from 1; 0: it doesn't execute
};

std::vector<life> lives_of(const schedule& steps, const explicit_dag& dag) {
  std::vector<life> lives(dag.thread_count());
  for (auto& each : lives) each.on.assign(steps.size() + 1, 0);
  for (std::size_t step = 1; step <= steps.size(); ++step) {
    const auto& executed = steps[step - 1].executed;
    for (std::uint32_t p = 0; p < executed.size(); ++p) {
      if (executed[p] == no_id) continue;
      life& of = lives[dag.thread_of(executed[p])];
      if (of.first == 0) of.first = step;
      of.last = step;
      of.on[step] = p + 1;
    }
  }
  return lives;
}

// Tells of one thread from the step in which a thief first executes it.
class sync_story {
 public:
  sync_story(thread_id id, const schedule& steps, const explicit_dag& dag,
             const std::vector<life>& lives, report::table& to)
      : id_(id), steps_(&steps), dag_(&dag), lives_(&lives), to_(&to) {}

  void tell() {
    const life& mine = (*lives_)[id_];
    const std::size_t stolen = steal_of(mine);
    if (stolen == 0) return;
    for (thread_id child = 0; child < dag_->thread_count(); ++child)
      // One that was spawned in the step before begins in this one.
      if (is_child(child) && lives_of_child(child).first != 0 &&
          lives_of_child(child).first <= stolen && lives_of_child(child).last >= stolen)
        ++count_;
    if (count_ == 0) return;
    add(stolen, fmt::format("p{} has stolen it: the descriptor is made", mine.on[stolen]));
    bool is_stalled = false;
    for (std::size_t step = stolen; step <= mine.last; ++step) {
      if (mine.on[step] != 0 && is_stalled) {
        add(step, fmt::format("p{} goes on with it", mine.on[step]));
        is_stalled = false;
      }
      for (thread_id child = 0; child < dag_->thread_count(); ++child)
        if (is_child(child)) tell_of(child, step, stolen);
      if (!is_stalled && is_in(id_, (*steps_)[step - 1].stalled)) {
        is_stalled = true;
        add(step, "it has stalled");
      }
    }
    add(mine.last, "it ends: the descriptor is freed");
  }

 private:
  [[nodiscard]] bool is_child(thread_id other) const { return dag_->parent(other) == id_; }
  [[nodiscard]] const life& lives_of_child(thread_id child) const { return (*lives_)[child]; }

  // The first step on another processor than before, without a stall in between; 0: none.
  [[nodiscard]] std::size_t steal_of(const life& mine) const {
    std::uint32_t before = 0;
    bool is_free = false;
    for (std::size_t step = mine.first; step != 0 && step <= mine.last; ++step) {
      if (is_in(id_, (*steps_)[step - 1].stalled)) is_free = true;
      if (mine.on[step] == 0) continue;
      if (before != 0 && mine.on[step] != before && !is_free) return step;
      before = mine.on[step];
      is_free = false;
    }
    return 0;
  }

  void tell_of(thread_id child, std::size_t step, std::size_t stolen) {
    const life& of = lives_of_child(child);
    if (of.first == step && step > stolen) {
      ++count_;
      add(step, fmt::format("{} begins on p{}", dag_->thread_name(child), of.on[step]));
    }
    if (of.last == step && of.first != 0) {
      --count_;
      add(step, fmt::format("{} ends on p{}", dag_->thread_name(child), of.on[step]));
    }
  }

  void add(std::size_t step, std::string what) {
    to_->rows.push_back(
        {dag_->thread_name(id_), std::to_string(step), std::move(what), std::to_string(count_)});
  }

  thread_id id_;
  const schedule* steps_;
  const explicit_dag* dag_;
  const std::vector<life>* lives_;
  report::table* to_;
  std::uint64_t count_ = 0;
};

}  // namespace

report::table to_table(const schedule& steps, const explicit_dag& dag) {
  report::table result;
  result.columns = {"step"};
  const auto processors = steps.empty() ? 0 : steps.front().executed.size();
  const bool has_deques = !steps.empty() && !steps.back().deques.empty();
  for (std::size_t p = 1; p <= processors; ++p) result.columns.push_back(fmt::format("p{}", p));
  if (has_deques)
    for (std::size_t p = 1; p <= processors; ++p)
      result.columns.push_back(fmt::format("deque {}", p));
  result.columns.emplace_back(has_deques ? "stalled" : "pool");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::vector<std::string> row = {std::to_string(i + 1)};
    for (const node_id v : steps[i].executed) row.push_back(v == no_id ? "" : name_of(v, dag));
    for (std::size_t p = 0; has_deques && p < processors; ++p) {
      auto& cell = row.emplace_back();
      if (i == 0) continue;  // none has anything yet
      for (const node_id v : steps[i].deques[p])
        cell += (cell.empty() ? "" : ", ") + name_of(v, dag);
    }
    row.push_back(pool_of(steps[i], dag, has_deques));
    result.rows.push_back(std::move(row));
  }
  return result;
}

report::table syncs_of(const schedule& steps, const explicit_dag& dag) {
  report::table result;
  result.columns = {"sync of", "step", "event", "children"};
  const auto lives = lives_of(steps, dag);
  for (thread_id id = 0; id < dag.thread_count(); ++id)
    sync_story(id, steps, dag, lives, result).tell();
  return result;
}

}  // namespace heist::lab
