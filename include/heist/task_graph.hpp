// A graph of functions: each runs when all that it depends on are done.
//
//     heist::task_graph g;
//     auto load = g.add([&] { ... }, {.name = "load"});
//     auto left = g.add([&] { ... }, {.name = "left", .cost = 3});
//     auto right = g.add([&] { ... }, {.name = "right"});
//     g.edge(load, left);
//     g.edge(load, right);
//     g.run(pool, {.order = heist::graph_order::critical_path});
//
// A running function may add others: it takes a task_graph::running& then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/detail/export.hpp"
#include "heist/detail/short_lock.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0 {

// Which one of those that can run is begun first.
enum class graph_order : std::uint8_t {
  any,            // the fastest: what became ready last (the default)
  priority,       // the largest priority
  longest_first,  // the largest cost
  critical_path,  // the largest sum of costs on a path to the end
};

struct node_options {
  std::string name = {};  // for errors and dot(); otherwise it is called by its number, as #3
  double cost = 1;        // in any unit
  int priority = 0;
};

struct graph_options {
  graph_order order = graph_order::any;
  std::stop_token stop = {};  // no function is begun after a request
  bool measure = false;       // take times, for dot()
};

enum class node_state : std::uint8_t {
  waiting,  // not run yet
  done,
  threw,
  skipped,  // it depends on one that wasn't done, or a stop was requested
};

struct graph_report {
  std::size_t done = 0;
  std::size_t threw = 0;
  std::size_t skipped = 0;
};

class task_graph;

namespace detail {

class graph_run;

// What a run touches comes first, in one line of the cache.
struct [[gnu::visibility("default")]] alignas(64) graph_node {
  virtual ~graph_node();
  virtual void call(graph_run & run) = 0;

  // Of the current or last run.
  std::atomic<std::size_t> waits_for{0};  // predecessors that aren't over; 0: it may have begun
  std::vector<graph_node*> successors{};  // guarded by guard until it is over
  graph_node* next_ready = nullptr;
  short_lock guard{};
  bool is_over = false;                 // guarded by guard
  std::atomic<bool> is_spoiled{false};  // a predecessor wasn't done
  node_state state = node_state::waiting;
  double rank = 0;
  std::int64_t began_ns = -1;  // since the run began
  std::int64_t ended_ns = -1;

  std::size_t predecessors = 0;
  std::size_t own_successors = 0;  // the rest were added by running functions
  double path_cost = 0;            // of the dearest path from here to the end, when checked
  std::size_t index = 0;
  const task_graph* graph = nullptr;
  node_options options{};
};

}  // namespace detail

// Not for use by two threads at once, but for what a running function does through running&.
class HEIST_API task_graph {
 public:
  // Names a function of one graph; of no use once the graph has ended.
  class node {
    friend task_graph;
    explicit node(detail::graph_node& n) noexcept : node_(&n) {}
    detail::graph_node* node_;
  };

  // What a running function can do. Thread-safe, but valid only during the function's call. What it adds belongs to this
  // run: the next one begins without it.
  class HEIST_API running {
   public:
    running(detail::graph_run& run, detail::graph_node& self) noexcept : run_(run), self_(self) {}

    // It runs after the function that adds it is done.
    template <class F>
    node add(F&& f, node_options options = {}) {
      return add_node(make_node(std::forward<F>(f)), std::move(options));
    }
    // As task_graph::edge. Throws usage_error if `after` may have begun; if `before` is over, nothing is waited for. A
    // cycle that is made this way ends the run with a usage_error when nothing else is left to do.
    void edge(node before, node after);

   private:
    node add_node(std::unique_ptr<detail::graph_node> n, node_options options);

    detail::graph_run& run_;
    detail::graph_node& self_;
  };

  task_graph();
  ~task_graph();
  task_graph(const task_graph&) = delete;
  task_graph& operator=(const task_graph&) = delete;

  // f() or f(running&), called once a run. One allocation and some for the edges. None of the members below may be
  // called while the graph runs: they throw usage_error.
  template <class F>
  node add(F&& f, node_options options = {}) {
    return add_node(make_node(std::forward<F>(f)), std::move(options));
  }
  // `after` runs when `before` is done. Throws usage_error for another graph's node.
  void edge(node before, node after);
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

  // Runs all, as many at once as the pool has workers, and returns when all are over. If a function throws, what depends
  // on it is skipped, the others run, and the exception of the first one in the order of add() is thrown then; report()
  // tells what was done. Throws usage_error before anything runs if there is a cycle, and names it.
  graph_report run(pool& p, graph_options options = {});
  // The same in the caller's pool, or the default one.
  graph_report run(graph_options options = {});

  // Of the last run.
  [[nodiscard]] graph_report report() const;
  [[nodiscard]] node_state state(node n) const;
  // In Graphviz's language, with what became of each function, and its time if it was measured.
  [[nodiscard]] std::string dot() const;

 private:
  friend detail::graph_run;

  template <class F>
  static std::unique_ptr<detail::graph_node> make_node(F&& f);
  node add_node(std::unique_ptr<detail::graph_node> n, node_options options);
  detail::graph_node& own(node n) const;
  void change();
  void check_for_cycles();
  graph_report run_here(const graph_options& options);
  void forget_grown();

  std::vector<std::unique_ptr<detail::graph_node>> nodes_;  // a run appends under its lock
  std::size_t own_nodes_ = 0;  // the rest were added by running functions
  bool is_checked_ = false;    // for cycles; ranks of paths are there
  std::atomic<bool> is_running_{false};
};

namespace detail {

template <class F>
struct graph_node_of final : graph_node {
  template <class G>
  explicit graph_node_of(G&& g) : function(std::forward<G>(g)) {}
  void call(graph_run& run) override;
  F function;
};

template <class F>
void graph_node_of<F>::call(graph_run& run) {
  if constexpr (std::is_invocable_v<F&, task_graph::running&>) {
    task_graph::running r(run, *this);
    function(r);
  } else {
    function();
  }
}

}  // namespace detail

template <class F>
std::unique_ptr<detail::graph_node> task_graph::make_node(F&& f) {
  return std::make_unique<detail::graph_node_of<std::decay_t<F>>>(std::forward<F>(f));
}

}  // namespace heist::inline v0
