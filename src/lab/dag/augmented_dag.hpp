// The augmented DAG of Blumofe and Leiserson's section 6. It is the DAG with a deque edge (w, v)
// for each instruction u that spawns a thread: v is the first instruction of that thread, and w
// follows u in u's own thread.
//
// An instruction is *critical* when all instructions from which a path leads to it have been
// executed and it has not. A child that is executed before the rest of its parent, as usual, is
// therefore not critical, nor is what follows it, until that rest begins.
//
// Only the analysis uses it; no scheduler sees it.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

class augmented_dag {
 public:
  // The DAG must outlive it.
  explicit augmented_dag(const explicit_dag& dag);

  [[nodiscard]] const explicit_dag& dag() const { return *dag_; }
  [[nodiscard]] std::uint32_t in_degree(node_id v) const { return in_degree_[v]; }
  // In nodes; at most twice that of the DAG.
  [[nodiscard]] std::uint64_t span() const { return span_; }

  // All nodes in topological order: each after those from which an edge leads to it.
  [[nodiscard]] const std::vector<node_id>& order() const { return order_; }

  // Calls f(target) for each edge out of v.
  template <class Function>
  void each_successor(node_id v, Function f) const {
    dag_->each_edge(v, [&](const explicit_dag::edge& edge) { f(edge.to); });
    if (const node_id child = deque_edge(v); child != no_id) f(child);
  }
  // The first instruction of the thread that v's predecessor in its thread spawned, or no_id.
  [[nodiscard]] node_id deque_edge(node_id v) const {
    if (v == dag_->first(dag_->thread_of(v))) return no_id;
    const thread_id spawned = dag_->spawned_by(v - 1);
    return spawned == no_id ? no_id : dag_->first(spawned);
  }

 private:
  const explicit_dag* dag_;
  std::vector<std::uint32_t> in_degree_;
  std::vector<node_id> order_;
  std::uint64_t span_ = 0;
};

}  // namespace heist::lab
