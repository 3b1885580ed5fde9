#include "lab/dag/known_dags.hpp"

#include <utility>

#include <fmt/format.h>

namespace heist::lab {

explicit_dag figure1() {
  dag_source source;
  source.name = "figure 1";
  const auto add = [&](std::string name, std::vector<std::string> names) {
    const auto length = static_cast<std::uint32_t>(names.size());
    source.threads.push_back({std::move(name), length, 1, std::move(names)});
  };
  add("G1", {"v1", "v2", "v16", "v17", "v21", "v22", "v23"});
  add("G2", {"v3", "v6", "v9", "v13", "v14", "v15"});
  add("G3", {"v4", "v5"});
  add("G4", {"v7", "v8"});
  add("G5", {"v10", "v11", "v12"});
  add("G6", {"v18", "v19", "v20"});
  source.spawns = {
      {{0, 1}, 1},  // v2 spawns G2
      {{0, 3}, 5},  // v17: G6
      {{1, 0}, 2},  // v3: G3
      {{1, 1}, 3},  // v6: G4
      {{1, 2}, 4},  // v9: G5
  };
  source.joins = {
      {{1, 4}, {0, 5}},  // v14 -> v22
      {{1, 5}, {0, 6}},  // v15 -> v23
      {{2, 1}, {1, 4}},  // v5 -> v14
      {{3, 1}, {1, 4}},  // v8 -> v14
      {{4, 2}, {1, 5}},  // v12 -> v15
      {{5, 2}, {0, 5}},  // v20 -> v22
  };
  return explicit_dag(std::move(source));
}

explicit_dag pipeline_dag(std::uint64_t items, std::uint64_t stages) {
  const auto name = fmt::format("pipeline:{},{}", items, stages);
  if (items > explicit_dag::max_nodes || stages > explicit_dag::max_nodes ||
      items * (stages + 2) + 2 > explicit_dag::max_nodes)
    throw usage_error(
        fmt::format("{} has more than {} instructions", name, explicit_dag::max_nodes));
  dag_source source;
  source.name = name;
  const auto length = static_cast<std::uint32_t>(stages) + 1;
  const auto count = static_cast<thread_id>(items);
  source.threads.resize(items + 1);
  // Spawns, one instruction more, and what waits for the last item.
  source.threads[0].length = count + 2;
  for (thread_id item = 1; item <= count; ++item) {
    source.threads[item].length = length;
    source.spawns.push_back({{0, item - 1}, item});
    if (item == count) break;
    for (std::uint32_t stage = 1; stage < length; ++stage)
      source.joins.push_back({{item, stage}, {item + 1, stage}});
  }
  source.joins.push_back({{count, length - 1}, {0, count + 1}});
  return explicit_dag(std::move(source));
}

}  // namespace heist::lab
