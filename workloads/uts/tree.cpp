#include "workloads/uts/tree.hpp"

#include <algorithm>
#include <cmath>

namespace heist::workloads {

namespace {

constexpr double most_children = 100;  // of any node, the root of a binomial tree excepted

// Makes a number in [0, 1) from the last 31 bits of the state.
double uniform(const tree_node& node) {
  return static_cast<double>(node.state[4] & 0x7fffffff) / 2147483648.0;
}

constexpr tree_parameters binomial(std::string_view name, double probability, unsigned children,
                                   std::uint32_t seed, double root_children = 2000) {
  return {name, tree_kind::binomial, tree_shape::fixed, root_children,
          0,    probability,         children,          seed};
}

constexpr tree_parameters geometric(std::string_view name, tree_shape shape, unsigned depth,
                                    double root_children, std::uint32_t seed) {
  return {name, tree_kind::geometric, shape, root_children, depth, 0, 0, seed};
}

}  // namespace

const std::vector<sample_tree>& sample_trees() {
  using enum tree_shape;
  constexpr std::nullopt_t unknown = std::nullopt;
  constexpr tree_parameters t4{"T4", tree_kind::hybrid, linear, 6, 16, 0.234375, 4, 1};
  static const std::vector<sample_tree> trees = {
      {geometric("T1", fixed, 10, 4, 19), {4130071, 10, 3305118}},
      {geometric("T2", cyclic, 16, 6, 502), {4117769, 81, 2342762}},
      {binomial("T3", 0.124875, 8, 42), {4112897, 1572, 3599034}},
      {t4, {4132453, 134, 3108986}},
      {geometric("T5", linear, 20, 4, 34), {4147582, 20, 2181318}},
      {geometric("T1L", fixed, 13, 4, 29), {102181082, 13, 81746377}},
      {geometric("T2L", cyclic, 23, 7, 220), {96793510, 67, 53791152}},
      {binomial("T3L", 0.200014, 5, 7), {111345631, 17844, 89076904}},
      {geometric("T1XL", fixed, 15, 4, 29), {1635119272, 15, 1308100063}},
      {geometric("T1XXL", fixed, 15, 4, 19), {4230646601, 15, unknown}},
      {binomial("T3XXL", 0.499995, 2, 316), {2793220501, unknown, unknown}},
      {binomial("T2XXL", 0.499999995, 2, 0), {10612052303, 216370, 5306027151}},
      {geometric("T1WL", fixed, 18, 4, 19), {270751679750, 18, 216601257283}},
      {binomial("T2WL", 0.4999999995, 2, 559), {295393891003, 1021239, 147696946501}},
      {binomial("T3WL", 0.4999995, 2, 559), {157063495159, 758577, 78531748579}},
      // Not one of theirs: a tree for tests, as large as a serial walk of it found.
      {binomial("tiny", 0.199, 5, 3, 100), {1826, 30, 1480}},
  };
  return trees;
}

tree::tree(const tree_parameters& parameters) : parameters_(parameters), geometric_heights_(0) {
  if (is_binomial()) return;
  if (parameters.kind == tree_kind::hybrid)
    geometric_heights_ = parameters.depth / 2;
  else if (parameters.shape == tree_shape::cyclic)
    geometric_heights_ = 5 * parameters.depth + 1;
  else
    geometric_heights_ = parameters.depth;
  for (unsigned height = 0; height < geometric_heights_; ++height) {
    const double p = 1 / (1 + expected_children(height));
    log_failure_.push_back(std::log(1 - p));
  }
}

double tree::expected_children(unsigned height) const {
  const double b = parameters_.root_children;
  const double h = height;
  const double d = parameters_.depth;
  if (height == 0) return b;
  switch (parameters_.shape) {
    case tree_shape::linear:
      return b * (1 - h / d);
    case tree_shape::cyclic:
      return std::pow(b, std::sin(2 * 3.141592653589793 * h / d));
    case tree_shape::fixed:
      return b;
  }
  return 0;
}

std::uint32_t tree::geometric_children(const tree_node& node) const {
  if (node.height >= geometric_heights_) return 0;
  const double throws = std::floor(std::log(1 - uniform(node)) / log_failure_[node.height]);
  return static_cast<std::uint32_t>(std::min(throws, most_children));
}

std::uint32_t tree::children(const tree_node& node) const {
  const bool is_geometric =
      parameters_.kind == tree_kind::geometric ||
      (parameters_.kind == tree_kind::hybrid && node.height < geometric_heights_);
  if (is_geometric) return geometric_children(node);
  if (is_binomial() && node.height == 0)
    return static_cast<std::uint32_t>(parameters_.root_children);
  return uniform(node) < parameters_.probability ? parameters_.children : 0;
}

}  // namespace heist::workloads
