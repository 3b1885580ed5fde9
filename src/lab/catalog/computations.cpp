// The table of computations by name, and those that are programs.
#include <algorithm>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "lab/catalog/computation.hpp"
#include "lab/catalog/dag_spec.hpp"
#include "lab/catalog/divided_computations.hpp"
#include "lab/catalog/programmed.hpp"
#include "lab/dag/known_dags.hpp"
#include "lab/programs/chain.hpp"
#include "lab/programs/fib.hpp"
#include "lab/programs/phases.hpp"
#include "lab/programs/tree.hpp"
#include "lab/programs/uts.hpp"
#include "lab/programs/wide.hpp"

namespace heist::lab {

namespace {

const computation_name& find(const spec& word) {
  for (const auto& each : computations())
    if (each.name == word.name()) return each;
  std::string names;
  for (const auto& each : computations())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
  throw usage_error(fmt::format("unknown computation '{}': there are {}", word.name(), names));
}

std::unique_ptr<computation> make_uts(const spec& word) {
  std::string names;
  for (const auto& sample : workloads::sample_trees()) {
    if (sample.parameters.name == word.rest())
      return make_programmed(word, uts_program{workloads::tree(sample.parameters)});
    names += fmt::format("{}{}", names.empty() ? "" : ", ", sample.parameters.name);
  }
  throw usage_error(fmt::format("{}: the trees are {}", word.text(), names));
}

}  // namespace

const std::vector<computation_name>& computations() {
  constexpr std::uint64_t much = 1'000'000'000'000;
  static const std::vector<computation_name> programs = {
      {"fib", "Fibonacci numbers by the recurrence", {{"n", 0, 90, 25}}},
      {"tree",
       "a complete tree with work at the leaves",
       {{"children", 1, 1000, 2}, {"depth", 0, 1000, 10}, {"leafwork", 1, much, 1}}},
      {"uts", "the trees of the benchmark UTS, as uts:T3", {}},
      {"skynet", "a flat tree, ten children a node", {{"leaves", 1, much, 1'000'000}}},
      {"nqueens",
       "boards of n queens, the last rows without forks",
       {{"n", 1, 15, 8}, {"cutoff", 0, 15, 4}}},
      {"matmul",
       "the product of two matrices by halving",
       {{"n", 1, 1U << 20U, 256}, {"block", 1, 1U << 20U, 16}}},
      {"quicksort",
       "random numbers, really sorted",
       {{"n", 1, 100'000'000, 100'000}, {"seed", 0, UINT64_MAX, 1}}},
      {"loops",
       "a parallel loop inside a parallel loop",
       {{"outer", 1, 1'000'000'000, 100}, {"inner", 1, 1'000'000'000, 100}, {"work", 1, much, 10}}},
      {"chain", "instructions one after the other", {{"n", 1, much, 1000}}},
      {"wide",
       "tasks that the root spawns one after the other",
       {{"tasks", 1, 1'000'000'000, 1000}, {"work", 1, much, 100}, {"lastwork", 1, much, 100}}},
      {"phases",
       "phases of equal tasks, each of which waits for the one before",
       {{"phases", 1, 1'000'000'000, 100}, {"tasks", 1, 1'000'000'000, 16}, {"work", 1, much, 10}}},
      {"pipeline",
       "items through stages, in order; not strict",
       {{"items", 1, 1'000'000, 100}, {"stages", 1, 1'000'000, 10}}},
  };
  static const std::vector<computation_name> all = [] {
    auto result = programs;
    for (const auto& each : dag_specs())
      result.push_back({each.name, each.summary, each.arguments});
    result.push_back({"file", "a DAG from a JSON file, as file:dag.json", {}});
    return result;
  }();
  return all;
}

void computation::scale(std::string_view region, double) {
  throw usage_error(fmt::format("this computation has no regions, and none called '{}'", region));
}

std::unique_ptr<computation> make_computation(std::string_view text) {
  const spec word(text);
  if (is_dag_spec(word.name())) return make_computation(dag_from_spec(word));
  const auto& name = word.name();
  const auto& known = find(word);
  if (name == "uts") return make_uts(word);
  const auto v = word.arguments(known.arguments);
  const auto small = [&](std::size_t i) { return static_cast<std::uint32_t>(v[i]); };
  if (name == "fib") return make_programmed(word, fib_program{static_cast<std::uint16_t>(v[0])});
  if (name == "tree") return make_programmed(word, tree_program{small(0), small(1), v[2]});
  if (name == "chain") return make_programmed(word, chain_program{v[0]});
  if (name == "wide") return make_programmed(word, wide_program{v[0], v[1], v[2]});
  if (name == "phases") return make_programmed(word, phases_program{v[0], v[1], v[2]});
  if (name == "pipeline") return make_computation(pipeline_dag(v[0], v[1]));
  return make_divided(word, v);
}

}  // namespace heist::lab
