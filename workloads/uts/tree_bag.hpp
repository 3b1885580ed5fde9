// A part of a tree as a bag, for walks by several processes. It holds no nodes to be visited but
// their parents, each with the numbers of the children that nobody has visited: a depth-first walk
// leaves one such parent for each level, however many children they have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <heist/cluster/bag.hpp>

#include "workloads/uts/tree.hpp"

namespace heist::workloads {

class tree_bag {
 public:
  struct siblings {
    tree_node parent;
    std::uint32_t first, last;  // the children from `first` to before `last`
  };

  tree_bag() = default;
  // An empty bag. The tree must outlive it; bags of one tree may be merged.
  explicit tree_bag(const tree& in) : in_(&in) {}
  // The whole tree.
  [[nodiscard]] static tree_bag whole(const tree& in) {
    tree_bag bag(in);
    bag.visit(in.root());
    return bag;
  }

  [[nodiscard]] const tree_counts& counts() const { return counts_; }
  [[nodiscard]] bool is_empty() const { return open_.empty(); }

  std::uint64_t process(std::uint64_t most) {
    std::uint64_t visited = 0;
    for (; visited < most && !open_.empty(); ++visited) {
      auto& next = open_.back();
      const auto node = in_->child(next.parent, next.first);
      if (++next.first == next.last) open_.pop_back();
      visit(node);
    }
    return visited;
  }

  // Half of the children of each parent. If each parent has one left, the half of the parents that
  // are nearest to the root, whose subtrees are the largest.
  std::optional<tree_bag> split() {
    tree_bag other(*in_);
    for (auto& each : open_) {
      if (each.last - each.first < 2) continue;
      const auto middle = each.first + (each.last - each.first + 1) / 2;
      other.open_.push_back({each.parent, middle, each.last});
      each.last = middle;
    }
    if (other.open_.empty()) {
      const auto half = open_.begin() + static_cast<std::ptrdiff_t>(open_.size() / 2);
      other.open_.assign(open_.begin(), half);
      open_.erase(open_.begin(), half);
    }
    if (other.open_.empty()) return {};
    return other;
  }

  void merge(const tree_bag& other) {
    open_.insert(open_.end(), other.open_.begin(), other.open_.end());
    counts_ = counts_ + other.counts_;
  }

 private:
  friend struct cluster::wire<tree_bag>;

  void visit(const tree_node& node) {
    const auto children = in_->children(node);
    counts_ = counts_ + tree_counts{1, children == 0 ? 1u : 0u, node.height};
    if (children != 0) open_.push_back({node, 0, children});
  }

  const tree* in_ = nullptr;  // not on the wire: the receiver merges into a bag that has it
  std::vector<siblings> open_;
  tree_counts counts_;
};

}  // namespace heist::workloads

template <>
struct heist::cluster::wire<heist::workloads::tree_bag> {
  static void write(wire_writer& to, const workloads::tree_bag& bag) {
    to.put(bag.open_).put(bag.counts_);
  }
  // A range without children, which no walk leaves, would be walked for ever.
  static workloads::tree_bag read(wire_reader& from) {
    workloads::tree_bag bag;
    bag.open_ = from.get<std::vector<workloads::tree_bag::siblings>>();
    for (const auto& each : bag.open_)
      if (each.first >= each.last) throw wire_error("a bag has a node without children to visit");
    bag.counts_ = from.get<workloads::tree_counts>();
    return bag;
  }
};
