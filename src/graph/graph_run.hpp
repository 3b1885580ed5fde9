// One run of a graph: as many drainers as the pool has workers take what is ready, from one heap or
// stack.
//
// A drainer that finds nothing is a suspended fiber; whoever makes nodes ready wakes as many as
// there is work for. The last one that finds nothing ends the run: then all nodes are done, or
// those that are left wait for each other.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "heist/detail/earliest_exception.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/detail/waiters.hpp"
#include "heist/task_graph.hpp"

namespace heist::inline v0::detail {

class graph_run {
 public:
  graph_run(task_graph& graph, const graph_options& options, stop_poll stop);

  void drain_all(unsigned drainers);
  void rethrow() { thrown_.rethrow(); }

  // ---- For functions that run.
  void add(graph_node& adder, node_pointer n);
  static void edge(graph_node& before, graph_node& after);

  [[nodiscard]] task_graph& graph() const noexcept { return graph_; }

  static bool is_later(const graph_node* a, const graph_node* b) noexcept {
    const node_details& x = *a->details;
    const node_details& y = *b->details;
    return x.rank != y.rank ? x.rank < y.rank : x.index > y.index;
  }

 private:
  void drain() noexcept;
  graph_node* next() noexcept;
  // Runs n; returns a node that became ready by that, to run next.
  graph_node* finish(graph_node& n) noexcept;
  void run_one(graph_node& n) noexcept;
  void push(graph_node* ready) noexcept;  // linked by next_ready
  void put(graph_node* n) noexcept;
  graph_node* take() noexcept;
  [[nodiscard]] bool stop_requested() const noexcept {
    return options_.stop.stop_requested() || stop_.stop_requested();
  }
  [[nodiscard]] std::int64_t now() const noexcept;

  task_graph& graph_;
  const graph_options& options_;
  const stop_poll stop_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  earliest_exception thrown_;

  short_lock guard_;
  std::vector<graph_node*> ready_;  // guarded by guard_, as is the rest; capacity for all nodes
  unsigned active_ = 0;             // drainers that aren't idle
  bool is_over_ = false;
  waiter_list idle_;
};

[[nodiscard]] std::string name_of(const graph_node& n);
// Names a cycle among these nodes, each of which waits for another one of them.
[[noreturn]] void throw_cycle(const std::vector<graph_node*>& left);

}  // namespace heist::inline v0::detail
