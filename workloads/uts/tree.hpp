// The trees of the Unbalanced Tree Search benchmark. A node's state determines the number of its
// children, and a cryptographic hash makes the children's states, so a tree's shape is known only
// by visiting it. The same parameters give the same tree everywhere, with published counts.
//
// Olivier, Huan, Liu, Prins, Dinan, Sadayappan, Tseng: UTS: An Unbalanced Tree Search Benchmark
// (LCPC 2006).

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "workloads/uts/sha1.hpp"

namespace heist::workloads {

enum class tree_kind {
  binomial,   // m children with probability q at every height: few huge subtrees, many leaves
  geometric,  // geometrically distributed, with odds that change by height
  hybrid,     // geometric down to half of the depth, binomial below
};

// How the expected number of children of a geometric tree changes with the height.
enum class tree_shape { linear, cyclic, fixed };

struct tree_parameters {
  std::string_view name;
  tree_kind kind;
  tree_shape shape;
  double root_children;  // b
  unsigned depth;        // d, of the geometric part
  double probability;    // q, of the binomial part
  unsigned children;     // m, of the binomial part
  std::uint32_t seed;    // r
};

struct tree_counts {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint64_t depth = 0;  // the greatest height of a node

  friend tree_counts operator+(const tree_counts& a, const tree_counts& b) {
    return {a.nodes + b.nodes, a.leaves + b.leaves, a.depth > b.depth ? a.depth : b.depth};
  }
  friend bool operator==(const tree_counts&, const tree_counts&) = default;
};

// The counts that the authors found. For the trees that needed a cluster, not all are published.
struct published_counts {
  std::uint64_t nodes;
  std::optional<std::uint64_t> depth, leaves;
};

struct sample_tree {
  tree_parameters parameters;
  published_counts published;
};

[[nodiscard]] const std::vector<sample_tree>& sample_trees();

struct tree_node {
  sha1_digest state;
  std::uint32_t height;
};

class tree {
 public:
  explicit tree(const tree_parameters& parameters);

  [[nodiscard]] bool is_binomial() const { return parameters_.kind == tree_kind::binomial; }

  [[nodiscard]] tree_node root() const {
    return {sha1_of_20_bytes({0, 0, 0, 0, parameters_.seed}), 0};
  }
  [[nodiscard]] tree_node child(const tree_node& parent, std::uint32_t number) const {
    return {sha1_of_24_bytes(parent.state, number), parent.height + 1};
  }
  [[nodiscard]] std::uint32_t children(const tree_node& node) const;

 private:
  [[nodiscard]] std::uint32_t geometric_children(const tree_node& node) const;
  [[nodiscard]] double expected_children(unsigned height) const;

  tree_parameters parameters_;
  std::uint32_t geometric_heights_;  // heights from this one on are not geometric
  std::vector<double> log_failure_;  // by height: log(1 - p)
};

}  // namespace heist::workloads
