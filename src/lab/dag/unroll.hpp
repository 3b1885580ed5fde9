// Makes the DAG of a program's computation, for checks and pictures, which need to see it as a
// whole. An instruction of weight w becomes a chain of w nodes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "lab/dag/explicit_dag.hpp"
#include "lab/model/program.hpp"

namespace heist::lab {

// Throws usage_error where there are more nodes than that.
template <fork_join_program Program>
[[nodiscard]] explicit_dag unroll(fork_join_threads<Program>& threads, std::string name,
                                  std::uint64_t most_nodes) {
  struct level {
    thread_id living;              // among the living threads
    thread_id number;              // in the DAG
    std::vector<thread_id> ended;  // children that no sync has joined
  };
  dag_source source;
  source.name = std::move(name);
  source.threads.emplace_back();
  std::vector<level> stack;
  stack.push_back({threads.start(), 0, {}});
  std::uint64_t nodes = 0;
  while (!stack.empty()) {
    auto& top = stack.back();
    auto& length = source.threads[top.number].length;
    if (threads.is_at_sync(top.living)) {
      for (const thread_id child : top.ended)
        source.joins.push_back({{child, source.threads[child].length - 1}, {top.number, length}});
      top.ended.clear();
    }
    const auto weight = threads.weight(top.living);
    nodes += weight;
    if (weight > most_nodes || nodes > most_nodes)
      throw usage_error(fmt::format("{} has more than {} instructions: too many to look at each",
                                    source.name, most_nodes));
    length += static_cast<std::uint32_t>(weight);
    const outcome did = threads.execute(top.living);
    if (did.spawned != no_id) {
      const auto child = static_cast<thread_id>(source.threads.size());
      source.spawns.push_back({{top.number, length - 1}, child});
      source.threads.emplace_back();
      stack.push_back({did.spawned, child, {}});
    } else if (did.thread == outcome::fate::died) {
      const auto number = top.number;
      stack.pop_back();
      if (!stack.empty()) stack.back().ended.push_back(number);
    }
  }
  return explicit_dag(std::move(source));
}

}  // namespace heist::lab
