#include "graph/graph_run.hpp"

#include <algorithm>

#include "graph/ranked_drains.hpp"
#include "heist/error.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

void graph_run::put(graph_node& n) noexcept {
  ready_.push_back(&n);
  if (rules_.options.order == graph_order::any) return;
  std::push_heap(ready_.begin(), ready_.end(), [this](auto* a, auto* b) { return is_later(a, b); });
}

graph_node* graph_run::take() noexcept {
  if (ready_.empty()) return nullptr;
  if (rules_.options.order != graph_order::any)
    std::pop_heap(ready_.begin(), ready_.end(),
                  [this](auto* a, auto* b) { return is_later(a, b); });
  graph_node* const n = ready_.back();
  ready_.pop_back();
  return n;
}

void graph_run::add(graph_node& adder, graph_node& n) {
  grown_part& part = graph_store::part_of(n);
  part.rank = graph_store::rank_by_options(part.options, rules_.options.order);
  n.waits_for.store(1, std::memory_order_relaxed);  // the lists' locks order it
  const holding hold(guard_);
  const std::size_t index = store_.size();
  if (index >= graph_store::most_nodes) throw resource_error("task_graph: too many functions");
  n.index = static_cast<std::uint32_t>(index);
  if (ready_.capacity() <= index) ready_.reserve(2 * index);  // put() must not
  store_.grown.push_back(&n);
  try {
    const holding hold_adder(guard_of(adder));
    store_.extras_of(adder).push_back(&n);
  } catch (...) {
    store_.grown.pop_back();
    throw;
  }
}

void graph_run::edge(std::uint32_t from, std::uint32_t to) {
  graph_node* ends[2];
  {
    const holding hold(guard_);  // of the table of nodes that were added
    ends[0] = &store_.at(from);
    ends[1] = &store_.at(to);
  }
  graph_node& before = *ends[0];
  graph_node& after = *ends[1];
  const holding hold(guard_of(before));
  if (before.is_over) return;
  auto& extras = store_.extras_of(before);
  extras.push_back(&after);
  std::uint32_t seen = after.waits_for.load(std::memory_order_relaxed);
  do {
    if (seen == 0) {
      extras.pop_back();
      throw usage_error("task_graph: an edge to " + store_.name_of(after) +
                        ", which may have begun");
    }
    // Relaxed: the one that lowers it again orders what it did.
  } while (!after.waits_for.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed,
                                                  std::memory_order_relaxed));
}

// ---- ranked_drains.hpp

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
