// Walks a tree in parallel, in two forms, because the depth decides which one is safe.
//
// Geometric trees are shallow (134 levels at most, with up to 100 children). They are walked by the
// natural recursion, a node at a time, with its children halved until one is left. Binomial trees
// are deep and thin: T3L has 17,844 levels, T2WL a million. A native frame for each level would
// need hundreds of megabytes of stack. Their walk therefore keeps the nodes still to be visited in
// a vector, and forks by giving away the older half of the vector.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/forkers.hpp"
#include "workloads/uts/tree.hpp"

namespace heist::workloads {

template <class Fork>
tree_counts count_children(const tree& in, const tree_node& parent, std::uint32_t first,
                           std::uint32_t last, Fork fork);

template <class Fork>
tree_counts count_subtree(const tree& in, const tree_node& node, Fork fork) {
  const auto children = in.children(node);
  if (children == 0) return {1, 1, node.height};
  return tree_counts{1, 0, node.height} + count_children(in, node, 0, children, fork);
}

// Counts the subtrees of the children from number `first` to before `last`.
template <class Fork>
tree_counts count_children(const tree& in, const tree_node& parent, std::uint32_t first,
                           std::uint32_t last, Fork fork) {
  if (last - first == 1) return count_subtree(in, in.child(parent, first), fork);
  const auto middle = first + (last - first) / 2;
  const auto [a, b] = fork([&, first] { return count_children(in, parent, first, middle, fork); },
                           [&, last] { return count_children(in, parent, middle, last, fork); });
  return a + b;
}

// Visits the given number of nodes depth first, and leaves the nodes still to be visited in `open`.
inline tree_counts visit_some(const tree& in, std::vector<tree_node>& open, std::uint64_t nodes) {
  tree_counts counts;
  for (; nodes > 0 && !open.empty(); --nodes) {
    const auto node = open.back();
    open.pop_back();
    const auto children = in.children(node);
    counts = counts + tree_counts{1, children == 0 ? 1u : 0u, node.height};
    for (std::uint32_t i = 0; i < children; ++i) open.push_back(in.child(node, i));
  }
  return counts;
}

// Each fork has six microseconds of hashing, next to which an allocation and a copy are cheap.
inline constexpr std::uint64_t nodes_for_each_fork = 64;

// A round has thousands of parts and half a million nodes, so waiting for the last part is cheap
// too.
inline constexpr int levels_of_forks = 12;

// Makes one round: it visits some nodes, divides the remaining ones into two halves, and continues
// with both at the same time. The older half is the second function, so that thieves get the higher
// nodes. A round does not continue until its part is exhausted: the forks are a tree of the same
// kind, so they would then nest as deep as the tree.
template <class Fork>
tree_counts visit_parts(const tree& in, std::vector<tree_node>& open, int levels, Fork fork) {
  const auto counts = visit_some(in, open, nodes_for_each_fork);
  if (levels == 0 || open.size() < 2) return counts;
  const auto middle = open.begin() + static_cast<std::ptrdiff_t>(open.size() / 2);
  std::vector<tree_node> newer(middle, open.end());
  open.erase(middle, open.end());
  const auto [a, b] = fork([&] { return visit_parts(in, newer, levels - 1, fork); },
                           [&] { return visit_parts(in, open, levels - 1, fork); });
  open.insert(open.end(), newer.begin(), newer.end());
  return counts + a + b;
}

template <class Fork>
tree_counts count_deep_tree(const tree& in, Fork fork) {
  std::vector<tree_node> open = {in.root()};
  if constexpr (!Fork::is_parallel) return visit_some(in, open, UINT64_MAX);
  tree_counts counts;
  while (!open.empty()) counts = counts + visit_parts(in, open, levels_of_forks, fork);
  return counts;
}

template <class Fork>
tree_counts count_tree(const tree& in, Fork fork) {
  if (in.is_binomial()) return count_deep_tree(in, fork);
  return count_subtree(in, in.root(), fork);
}

}  // namespace heist::workloads
