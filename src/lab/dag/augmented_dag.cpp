#include "lab/dag/augmented_dag.hpp"

#include <algorithm>

#include <heist/error.hpp>

namespace heist::lab {

augmented_dag::augmented_dag(const explicit_dag& dag) : dag_(&dag) {
  const auto nodes = dag.node_count();
  in_degree_.resize(nodes);
  for (node_id v = 0; v < nodes; ++v) in_degree_[v] = dag.in_degree(v);
  for (node_id v = 0; v < nodes; ++v)
    if (const node_id child = deque_edge(v); child != no_id) ++in_degree_[child];
  auto missing = in_degree_;
  std::vector<std::uint64_t> path(nodes, 1);
  order_.reserve(nodes);
  order_.push_back(dag.first(0));
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const node_id v = order_[i];
    span_ = std::max(span_, path[v]);
    each_successor(v, [&](node_id to) {
      path[to] = std::max(path[to], path[v] + 1);
      if (--missing[to] == 0) order_.push_back(to);
    });
  }
  if (order_.size() < nodes) throw error("the augmented DAG of " + dag.name() + " has a cycle");
}

}  // namespace heist::lab
