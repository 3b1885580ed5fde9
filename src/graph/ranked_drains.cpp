#include "graph/ranked_drains.hpp"

#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

void ranked_drains::run(unsigned drainers) {
  for (std::size_t i = 0; i < contents().nodes.size(); ++i)
    if (contents().predecessors[i] == 0) put(*contents().nodes[i]);
  drain_all(drainers);
}

void ranked_drains::drain_all(unsigned drainers) {
  if (drainers <= 1) return drain();
  fork_join([&] { drain_all(drainers / 2); }, [&] { drain_all(drainers - drainers / 2); });
}

void ranked_drains::drain() noexcept {
  {
    const holding hold(guard_);
    if (is_over_) return;
    ++active_;
  }
  graph_report counts;
  while (graph_node* const n = next(counts)) {
    run_one(*n, counts);
    waiter_list woken;
    // Each that has become ready is put by itself: a node seldom makes many ready.
    finish(*n, [&](graph_node& s) {
      const holding hold(guard_);
      put(s);
      waiter* const w = idle_.pop();
      if (w == nullptr) return;
      ++active_;
      woken.push_back(*w);
    });
    woken.end_all();
  }
}

graph_node* ranked_drains::next(graph_report& counts) noexcept {
  for (;;) {
    waiter me;
    waiter_list others;
    bool over;
    {
      const holding hold(guard_);
      if (graph_node* const n = take()) return n;
      count(std::exchange(counts, {}));
      if (!is_over_ && --active_ == 0) {
        is_over_ = true;
        others = idle_.take_all();
      }
      over = is_over_;
      if (!over) idle_.push_back(me);
    }
    if (over) {
      others.end_all();
      return nullptr;
    }
    me.point.wait();  // drain() has counted it as active again, or the run is over
  }
}

}  // namespace heist::inline v0::detail
