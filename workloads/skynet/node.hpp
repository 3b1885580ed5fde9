// A node of skynet's tree: so many leaves below ten children.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heist::workloads {

inline constexpr std::uint64_t skynet_children = 10;

// The leaves from number `first` on.
struct skynet_node {
  std::uint64_t first;
  std::uint64_t leaves;

  // A node with fewer leaves than ten has a child for each.
  [[nodiscard]] std::uint64_t children() const { return std::min(leaves, skynet_children); }
  [[nodiscard]] skynet_node child(std::uint64_t number) const {
    const auto begin = leaves * number / children();
    return {first + begin, leaves * (number + 1) / children() - begin};
  }
};

inline std::uint64_t skynet_serially(const skynet_node& node) {
  if (node.leaves == 1) return node.first;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < node.children(); ++i) sum += skynet_serially(node.child(i));
  return sum;
}

}  // namespace heist::workloads
