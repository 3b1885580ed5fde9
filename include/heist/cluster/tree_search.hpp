// heist::cluster::tree_search(): visits the nodes of a tree that only the visits reveal, on all
// ranks of a cluster.
//
//     const auto solutions = heist::cluster::tree_search(
//         cluster, "14 queens", board::empty(14), std::uint64_t{0},
//         [](const board& b, auto& search) {
//           if (b.is_full()) search.add(1);
//           for (const board& next : b.successors()) search.push(next);
//         },
//         std::plus{});
//
// Branch and bound: raise_bound() tells all ranks the best value known, and a visit that can't
// exceed bound() pushes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "heist/cluster/detail/search_bag.hpp"
#include "heist/cluster/run.hpp"

namespace heist::inline v0::cluster {

// A function that visits a node, and tells the search what it found.
template <class F, class Node, class R, class Combine>
concept tree_visitor = requires(F& visit, const Node& node,
                                detail::search<Node, R, Combine>& search) { visit(node, search); };

// On rank 0 returns what `combine` makes of everything that the visits have added, in an order that
// differs from run to run: it must be associative and commutative, and `nothing` its neutral
// element. The other ranks return `nothing`, or a part of the result.
//
// Calls expand(node, search) for the root and for each node that was pushed, once for each.
// `search` is a detail::search: push(node), add(result), bound(), raise_bound(value). Node and R
// must have a wire form, and R must be copyable. Several threads call both functions at once, on
// every rank. `name`, exceptions and failures: as for run().
template <wireable Node, wireable R, class Combine, tree_visitor<Node, R, Combine> Expand>
[[nodiscard]] R tree_search(context& in, const std::string& name, Node root, const R& nothing,
                            Expand expand, Combine combine) {
  using bag_type = detail::search_bag<Node, R, Expand, Combine>;
  detail::search_base<R, Expand, Combine> base{expand, combine, nothing};
  const auto whole = [&] {
    bag_type bag(base);
    bag.add(std::move(root));
    return bag;
  };
  return run(in, name, bag_type(base), whole).take_result();
}

}  // namespace heist::inline v0::cluster
