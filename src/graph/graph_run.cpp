#include "graph/graph_run.hpp"

#include <algorithm>

#include "heist/error.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

// The functions that depend on nothing are ready; of equal ones the first is begun first.
graph_run::graph_run(task_graph& graph, const graph_options& options, stop_poll stop)
    : graph_(graph), options_(options), stop_(stop) {
  ready_.reserve(graph.nodes_.size());
  for (std::size_t i = graph.nodes_.size(); i-- > 0;)
    if (graph.predecessors_[i] == 0) put(graph.nodes_[i].get());
}

void graph_run::drain_all(unsigned drainers) {
  if (drainers <= 1) return drain();
  fork_join([&] { drain_all(drainers / 2); }, [&] { drain_all(drainers - drainers / 2); });
}

void graph_run::drain() noexcept {
  {
    const holding hold(guard_);
    if (is_over_) return;
    ++active_;
  }
  while (graph_node* n = next()) {
    do {
      run_one(*n);
      n = finish(*n);
    } while (n != nullptr);
  }
}

graph_node* graph_run::next() noexcept {
  for (;;) {
    waiter me;
    waiter_list others;
    bool over;
    {
      const holding hold(guard_);
      if (!ready_.empty()) return take();
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
    me.point.wait();  // push() has counted it as active again, or the run is over
  }
}

void graph_run::run_one(graph_node& n) noexcept {
  // Relaxed: ordered by waits_for.
  if (n.is_spoiled.load(std::memory_order_relaxed) || stop_requested()) {
    n.state = node_state::skipped;
    return;
  }
  if (!graph_.can_grow_)
    for (const graph_node* s : n.successors) __builtin_prefetch(s, 1);  // for finish()
  if (options_.measure) n.details->began_ns = now();
  try {
    n.call(*this);
    n.state = node_state::done;
  } catch (...) {
    n.state = node_state::threw;
    thrown_.keep(n.details->index, std::current_exception());
  }
  if (options_.measure) n.details->ended_ns = now();
}

graph_node* graph_run::finish(graph_node& n) noexcept {
  if (graph_.can_grow_) {
    const holding hold(n.guard);
    n.is_over = true;
  } else {
    n.is_over = true;
  }
  graph_node* ready = nullptr;
  for (graph_node* s : n.successors) {
    if (n.state != node_state::done) s->is_spoiled.store(true, std::memory_order_relaxed);
    // Release: what n did. Acquire: what the others did that s depends on.
    if (s->waits_for.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    s->next_ready = ready;
    ready = s;
  }
  if (ready == nullptr) return nullptr;
  const bool goes_on = options_.order == graph_order::any;
  if (graph_node* const rest = goes_on ? ready->next_ready : ready) push(rest);
  return goes_on ? ready : nullptr;
}

void graph_run::push(graph_node* ready) noexcept {
  waiter_list woken;
  {
    const holding hold(guard_);
    for (; ready != nullptr; ready = ready->next_ready) {
      put(ready);
      waiter* const w = idle_.pop();
      if (w == nullptr) continue;
      ++active_;
      woken.push_back(*w);
    }
  }
  woken.end_all();
}

void graph_run::put(graph_node* n) noexcept {
  ready_.push_back(n);
  if (options_.order != graph_order::any) std::push_heap(ready_.begin(), ready_.end(), is_later);
}

graph_node* graph_run::take() noexcept {
  if (options_.order != graph_order::any) std::pop_heap(ready_.begin(), ready_.end(), is_later);
  graph_node* const n = ready_.back();
  ready_.pop_back();
  return n;
}

std::int64_t graph_run::now() const noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count();
}

void graph_run::add(graph_node& adder, node_pointer n) {
  graph_node& added = *n;
  node_details& details = *added.details;
  details.rank =
      options_.order == graph_order::priority ? details.options.priority : details.options.cost;
  added.waits_for.store(1, std::memory_order_relaxed);  // the lists' locks order it
  const holding hold(guard_);
  details.index = graph_.nodes_.size();
  if (graph_.nodes_.capacity() == details.index) graph_.nodes_.reserve(2 * details.index);
  if (ready_.capacity() <= details.index) ready_.reserve(2 * details.index);  // put() must not
  {
    const holding hold_adder(adder.guard);
    adder.successors.push_back(&added, nullptr);
  }
  graph_.nodes_.push_back(std::move(n));
}

void graph_run::edge(graph_node& before, graph_node& after) {
  const holding hold(before.guard);
  if (before.is_over) return;
  before.successors.push_back(&after, nullptr);
  std::uint32_t seen = after.waits_for.load(std::memory_order_relaxed);
  do {
    if (seen == 0) {
      before.successors.pop_back();
      throw usage_error("task_graph: an edge to " + name_of(after) + ", which may have begun");
    }
    // Relaxed: whoever lowers it again orders what it did.
  } while (!after.waits_for.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed,
                                                  std::memory_order_relaxed));
}

}  // namespace heist::inline v0::detail
