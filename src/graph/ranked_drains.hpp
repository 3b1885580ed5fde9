// A run in the order of ranks: as many drainers as the pool has workers take what is ready from one
// heap, since the greatest rank is asked for among all that is ready.
//
// A drainer that finds nothing is a suspended fiber; the one that makes nodes ready wakes as many
// as there is work for. The last one that finds nothing ends the run: then all nodes are done, or
// those that are left wait for each other.
#pragma once

#include "graph/graph_run.hpp"

namespace heist::inline v0::detail {

class ranked_drains final : public graph_run {
 public:
  using graph_run::graph_run;

  void run(unsigned drainers);

 private:
  void drain_all(unsigned drainers);
  void drain() noexcept;
  graph_node* next(graph_report& counts) noexcept;

  // Guarded by guard_.
  unsigned active_ = 0;  // drainers that aren't idle
  bool is_over_ = false;
  waiter_list idle_;
};

}  // namespace heist::inline v0::detail
