#include "lab/catalog/dag_spec.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lab/dag/dag_json.hpp"
#include "lab/dag/known_dags.hpp"
#include "lab/dag/random_dag.hpp"

namespace heist::lab {

const std::vector<dag_spec>& dag_specs() {
  static const std::vector<argument_spec> random = {{"size", 1, explicit_dag::max_nodes, 1000},
                                                    {"seed", 0, UINT64_MAX, 1}};
  static const std::vector<dag_spec> all = {
      {"figure1", "the example of Blumofe and Leiserson's Figure 1", {}},
      {"random", "a random fully strict DAG", random},
      {"random-strict", "a random DAG whose joins go to ancestors", random},
      {"random-general", "a random DAG of out-degree at most 2", random},
  };
  return all;
}

bool is_dag_spec(std::string_view name) {
  return name == "file" || std::any_of(dag_specs().begin(), dag_specs().end(),
                                       [&](const dag_spec& each) { return each.name == name; });
}

explicit_dag dag_from_spec(const spec& word) {
  if (word.name() == "file") {
    if (word.rest().empty())
      throw usage_error(fmt::format("{}: a file's name follows, as file:dag.json", word.text()));
    return dag_from_file(word.rest());
  }
  const auto known = std::find_if(dag_specs().begin(), dag_specs().end(),
                                  [&](const dag_spec& each) { return each.name == word.name(); });
  const auto values = word.arguments(known->arguments);
  if (word.name() == "figure1") return figure1();
  const auto kind = word.name() == "random"          ? strictness::fully_strict
                    : word.name() == "random-strict" ? strictness::strict
                                                     : strictness::general;
  return random_dag(kind, values[0], values[1]);
}

}  // namespace heist::lab
