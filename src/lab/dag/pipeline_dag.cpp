#include "lab/dag/pipeline_dag.hpp"

#include <utility>

#include <fmt/format.h>

namespace heist::lab {

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
