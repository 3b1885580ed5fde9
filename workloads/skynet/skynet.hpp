// A tree in which every node has ten children, down to a million leaves. A leaf's value is its
// number, and a node's the sum of its children's: nearly nothing beside the forks that make the
// tree, so a runtime with a costly task shows it here. Unlike fib, a node has ten children and the
// tree is as flat as it can be.
//
// A. Temelkov: Skynet 1M concurrency microbenchmark (2016), of threads and actors of languages.
#pragma once

#include <cstdint>

#include "workloads/forkers.hpp"
#include "workloads/skynet/node.hpp"

namespace heist::workloads {

template <class Fork>
std::uint64_t skynet_children_sum(const skynet_node& parent, std::uint64_t begin, std::uint64_t end,
                                  Fork fork);

template <class Fork>
std::uint64_t skynet(const skynet_node& node, Fork fork) {
  if (node.leaves == 1) return node.first;
  return skynet_children_sum(node, 0, node.children(), fork);
}

// Sums the children from number `begin` to before `end`, each leaf of them a function of its own.
template <class Fork>
std::uint64_t skynet_children_sum(const skynet_node& parent, std::uint64_t begin, std::uint64_t end,
                                  Fork fork) {
  if (end - begin == 1) return skynet(parent.child(begin), fork);
  const auto middle = begin + (end - begin) / 2;
  const auto [a, b] =
      fork([=, &parent] { return skynet_children_sum(parent, begin, middle, fork); },
           [=, &parent] { return skynet_children_sum(parent, middle, end, fork); });
  return a + b;
}

}  // namespace heist::workloads
