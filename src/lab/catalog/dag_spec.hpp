// DAGs that lie in memory, by a word: "figure1", "random:1000,7", "file:mine.json".
#pragma once

#include <string_view>
#include <vector>

#include "lab/catalog/spec.hpp"
#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

struct dag_spec {
  std::string_view name, summary;
  std::vector<argument_spec> arguments;
};

// All but "file", whose argument is a path.
[[nodiscard]] const std::vector<dag_spec>& dag_specs();

[[nodiscard]] bool is_dag_spec(std::string_view name);

// Throws usage_error for arguments out of range and files that hold no DAG, resource_error for
// those that can't be read. is_dag_spec(word.name()) must hold.
[[nodiscard]] explicit_dag dag_from_spec(const spec& word);

}  // namespace heist::lab
