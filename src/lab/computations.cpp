// The table of computations by name, and those that are programs.
#include <algorithm>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "lab/figure1.hpp"
#include "lab/programs/chain.hpp"
#include "lab/programs/fib.hpp"
#include "lab/programs/tree.hpp"
#include "lab/programs/uts.hpp"
#include "lab/programs/wide.hpp"
#include "lab/run.hpp"
#include "lab/simulation.hpp"
#include "lab/unroll.hpp"

namespace heist::lab {

namespace {

template <fork_join_program Program>
class programmed : public computation {
 public:
  programmed(std::string name, Program program)
      : name_(std::move(name)), threads_(std::move(program)) {}

  measures measure() override { return lab::measure(threads_); }

  run_result run(const run_settings& settings) override {
    check_settings(settings);
    no_observer nobody;
    return run_on(threads_, settings, nobody);
  }

  // Only a DAG that lies in memory can be looked at as a whole.
  run_result run_checked(const run_settings& settings, check_report& report) override {
    if (!unrolled_) unrolled_ = make_computation(unroll(threads_, name_, most_checked));
    return unrolled_->run_checked(settings, report);
  }

 private:
  static constexpr std::uint64_t most_checked = 1U << 22U;  // nodes

  std::string name_;
  fork_join_threads<Program> threads_;
  std::unique_ptr<computation> unrolled_;
};

template <class Program>
std::unique_ptr<computation> make(const spec& word, Program program) {
  return std::make_unique<programmed<Program>>(word.text(), std::move(program));
}

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
      return make(word, uts_program{workloads::tree(sample.parameters)});
    names += fmt::format("{}{}", names.empty() ? "" : ", ", sample.parameters.name);
  }
  throw usage_error(fmt::format("{}: the trees are {}", word.text(), names));
}

}  // namespace

const std::vector<computation_name>& computations() {
  constexpr std::uint64_t much = 1'000'000'000'000;
  static const std::vector<computation_name> all = {
      {"figure1", "the example of Blumofe and Leiserson's Figure 1", {}},
      {"fib", "Fibonacci numbers by the recurrence", {{"n", 0, 90, 25}}},
      {"tree",
       "a complete tree with work at the leaves",
       {{"children", 1, 1000, 2}, {"depth", 0, 1000, 10}, {"leafwork", 1, much, 1}}},
      {"uts", "the trees of the benchmark UTS: T1 to T5, T1L ...", {}},
      {"chain", "instructions one after the other", {{"n", 1, much, 1000}}},
      {"wide",
       "tasks that the root spawns one after the other",
       {{"tasks", 1, 1'000'000'000, 1000}, {"work", 1, much, 100}, {"lastwork", 1, much, 100}}},
  };
  return all;
}

std::unique_ptr<computation> make_computation(std::string_view text) {
  const spec word(text);
  const auto& name = word.name();
  const auto& known = find(word);
  if (name == "uts") return make_uts(word);
  const auto v = word.arguments(known.arguments);
  if (name == "figure1") return make_computation(figure1());
  if (name == "fib") return make(word, fib_program{static_cast<std::uint16_t>(v[0])});
  if (name == "tree")
    return make(word, tree_program{static_cast<std::uint32_t>(v[0]),
                                   static_cast<std::uint32_t>(v[1]), v[2]});
  if (name == "chain") return make(word, chain_program{v[0]});
  return make(word, wide_program{v[0], v[1], v[2]});
}

}  // namespace heist::lab
