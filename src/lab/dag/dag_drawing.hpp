// DAGs as pictures, and as graphs for Graphviz.
#pragma once

#include <cstdint>
#include <string>

#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

inline constexpr std::uint32_t max_drawn_nodes = 2000;

// In the manner of Figure 1: threads are blocks in rows, children below their parents; time runs to
// the right. An instruction's column is the length of the longest path to it; one critical path is
// drawn in stronger lines. Throws usage_error for a DAG of more than max_drawn_nodes instructions.
[[nodiscard]] std::string dag_to_svg(const explicit_dag& dag);

// A digraph with a cluster for each thread. Continue edges are solid, spawns bold, joins dashed.
// `dot -Tsvg` draws it.
[[nodiscard]] std::string dag_to_dot(const explicit_dag& dag);

}  // namespace heist::lab
