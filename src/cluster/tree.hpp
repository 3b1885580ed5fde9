// The places of the nodes in a tree with four children each, over which they are counted, told
// things, and watched. Node 0 is its root; with P nodes it has log4 P levels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cluster/message.hpp"

namespace heist::inline v0::cluster {

class tree_place {
 public:
  // Few messages meet at a node, and the tree is half as high as one with two children.
  static constexpr rank children_each = 4;

  tree_place(rank self, rank nodes) : self_(self), nodes_(nodes) {}

  [[nodiscard]] bool is_root() const { return self_ == 0; }
  [[nodiscard]] rank parent() const { return (self_ - 1) / children_each; }
  [[nodiscard]] rank children() const {
    const std::uint64_t first = first_child();
    return static_cast<rank>(
        std::min<std::uint64_t>(children_each, nodes_ - std::min<std::uint64_t>(first, nodes_)));
  }
  [[nodiscard]] rank child(rank number) const { return static_cast<rank>(first_child() + number); }

  [[nodiscard]] bool has_child(rank other) const {
    return other >= first_child() && other - first_child() < children();
  }

  // Calls f(child) for each.
  template <class F>
  void for_each_child(F&& f) const {
    for (rank i = 0; i < children(); ++i) f(child(i));
  }
  // Calls f(neighbour) for the parent and each child.
  template <class F>
  void for_each_neighbour(F&& f) const {
    if (!is_root()) f(parent());
    for_each_child(f);
  }

 private:
  [[nodiscard]] std::uint64_t first_child() const {
    return std::uint64_t{self_} * children_each + 1;
  }

  rank self_, nodes_;
};

}  // namespace heist::inline v0::cluster
