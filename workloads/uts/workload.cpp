#include <algorithm>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/registry.hpp"
#include "workloads/uts/count.hpp"

namespace heist::workloads {

namespace {

class uts_instance final : public instance {
 public:
  explicit uts_instance(const sample_tree& sample) : sample_(sample), tree_(sample.parameters) {}

  void reset() override { counts_ = {}; }
  void run_serial() override { counts_ = count_tree(tree_, serially{}); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { counts_ = count_tree(tree_, fork); });
  }

  std::string result() const override {
    return fmt::format("{}: {} nodes, {} leaves, depth {}", sample_.parameters.name, counts_.nodes,
                       counts_.leaves, counts_.depth);
  }

  std::uint64_t checksum() const override {
    return mixed(mixed(mixed(counts_.nodes) + counts_.leaves) + counts_.depth);
  }

  std::optional<std::string> mistake() const override {
    const auto& known = sample_.published;
    const tree_counts expected{known.nodes, known.leaves.value_or(counts_.leaves),
                               known.depth.value_or(counts_.depth)};
    if (counts_ == expected) return std::nullopt;
    return fmt::format("{}, but published are {} nodes, {} leaves, depth {}", result(),
                       expected.nodes, expected.leaves, expected.depth);
  }

  work_count work() const override { return {static_cast<double>(counts_.nodes), "nodes"}; }

 private:
  const sample_tree& sample_;
  tree tree_;
  tree_counts counts_;
};

class uts_workload final : public workload {
 public:
  std::string_view name() const override { return "uts"; }
  std::string_view summary() const override {
    return "counts the nodes of an unbalanced tree that only a walk reveals";
  }

  profile describe() const override {
    return {.shape = "forks",
            .stresses = "a tree that nobody knows before the walk",
            .source = "Olivier et al. 2006, Unbalanced Tree Search"};
  }
  std::vector<option_spec> options() const override {
    std::vector<std::string> names;
    for (const auto& sample : sample_trees()) names.emplace_back(sample.parameters.name);
    return {choice_option("tree",
                          "which sample tree; L: 10^8 nodes, XL, XXL: 10^9, WL: 10^11; tiny: 2000",
                          "T3", names)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto named = [&](const sample_tree& sample) {
      return sample.parameters.name == values.text("tree");
    };
    return std::make_unique<uts_instance>(
        *std::find_if(sample_trees().begin(), sample_trees().end(), named));
  }
};

}  // namespace

std::unique_ptr<const workload> make_uts() { return std::make_unique<uts_workload>(); }

}  // namespace heist::workloads
