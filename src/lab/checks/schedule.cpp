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

}  // namespace heist::lab
