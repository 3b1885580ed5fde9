// DAGs as graphs for Graphviz.
#pragma once

#include <string>

#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

// A digraph with a cluster for each thread. Continue edges are solid, spawns bold, joins dashed.
// `dot -Tsvg` draws it.
[[nodiscard]] std::string dag_to_dot(const explicit_dag& dag);

}  // namespace heist::lab
