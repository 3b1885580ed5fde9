// A run in any order: what is ready lies on the deque of the worker that made it ready.
//
// A drainer runs a node, then one of the nodes that became ready by that; the others lie on its
// deque, where thieves find them. When it has run all that it finds there it is done: it never
// waits. The one that steals an entry begins a drainer there. The entries at the bottom are ranges
// of nodes in which those are sought that depend on nothing.
//
// Invariants.
//   G1  What is ready is run by a drainer, lies on the deque below one, or is in `ready_` (the
//       deque was full, or there is none). A drainer that puts something there looks there before
//       it ends.
//   G2  `active_` counts drainers. A thief counts itself before it completes the entry, and the
//       drainer whose entry it was joins it before it ends: so active_ is 0 only when nothing is
//       left. The last drainer ends the wait of the one in run(), if it isn't that one.
#pragma once

#include <atomic>

#include "graph/graph_run.hpp"
#include "heist/detail/waiting.hpp"

namespace heist::inline v0::detail {

class graph_drainer;

class stolen_drains final : public graph_run {
 public:
  using graph_run::graph_run;

  void run();

 private:
  friend graph_drainer;

  void begin() noexcept { active_.fetch_add(1, std::memory_order_relaxed); }  // the steal orders it
  // Adds the counts of a drainer that ends. True: it was the last.
  bool end(const graph_report& counts) noexcept;
  void put_aside(graph_node& n) noexcept;
  graph_node* take_aside() noexcept;

  std::atomic<std::uint32_t> active_{0};
  std::atomic<std::size_t> aside_{0};  // relaxed: a hint, except for those who put something there
  wait_point is_over_{};
};

}  // namespace heist::inline v0::detail
