// The Unbalanced Tree Search benchmark's trees (workloads/uts): a thread is a node and spawns its
// children. How many there are follows from a hash of the node's state, so that only a walk reveals
// the tree.
#pragma once

#include <cstdint>

#include "lab/model/program.hpp"
#include "workloads/uts/tree.hpp"

namespace heist::lab {

struct uts_program {
  struct frame {
    workloads::tree_node node;
    std::uint32_t children, at;
  };

  workloads::tree tree;

  [[nodiscard]] frame root() const { return thread_of(tree.root()); }
  [[nodiscard]] std::uint64_t weight(const frame&) const { return 1; }
  [[nodiscard]] std::uint64_t hint(const frame& f) const { return f.children; }
  [[nodiscard]] bool waits_next(const frame& f) const { return f.at == f.children; }
  [[nodiscard]] place_among place(const frame&) const { return {}; }

  action execute(frame& f, frame& child) const {
    using enum action::next;
    if (f.children == 0) return {false, ends};
    const auto at = f.at++;
    if (at < f.children) {
      child = thread_of(tree.child(f.node, at));
      return {true, goes_on};
    }
    return {false, at == f.children ? waits : ends};
  }

 private:
  [[nodiscard]] frame thread_of(const workloads::tree_node& node) const {
    return {node, tree.children(node), 0};
  }
};

}  // namespace heist::lab
