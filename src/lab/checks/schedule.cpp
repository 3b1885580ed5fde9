#include "lab/checks/schedule.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace heist::lab {

void schedule_recorder::begin_step(std::uint64_t, const std::vector<thread_id>& running,
                                   const explicit_threads& threads) {
  auto& step = steps_->emplace_back();
  for (const thread_id thread : running)
    step.executed.push_back(thread == no_id ? no_id : threads.next(thread));
  for (thread_id id = 0; id < threads.dag().thread_count(); ++id) {
    if (!threads.is_alive(id) || std::find(running.begin(), running.end(), id) != running.end())
      continue;
    (threads.is_ready(id) ? step.ready : step.stalled).push_back(id);
  }
}

report::table to_table(const schedule& steps, const explicit_dag& dag) {
  report::table result;
  result.columns = {"step"};
  const auto processors = steps.empty() ? 0 : steps.front().executed.size();
  for (std::size_t p = 1; p <= processors; ++p) result.columns.push_back(fmt::format("p{}", p));
  result.columns.emplace_back("pool");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::vector<std::string> row = {std::to_string(i + 1)};
    for (const node_id v : steps[i].executed)
      row.push_back(
          v == no_id ? ""
                     : fmt::format("{}: {}", dag.thread_name(dag.thread_of(v)), dag.node_name(v)));
    std::string pool;
    for (thread_id id = 0; id < dag.thread_count(); ++id) {
      const auto is_in = [id](const std::vector<thread_id>& threads) {
        return std::find(threads.begin(), threads.end(), id) != threads.end();
      };
      const auto* separator = pool.empty() ? "" : " ";
      if (is_in(steps[i].ready)) pool += separator + dag.thread_name(id);
      if (is_in(steps[i].stalled)) pool += fmt::format("{}({})", separator, dag.thread_name(id));
    }
    row.push_back(pool);
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace heist::lab
