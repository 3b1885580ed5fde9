// A graph of functions: each runs when all functions on which it depends are done.
//
//     heist::task_graph g;
//     auto load = g.add([&] { ... }, {.name = "load"});
//     auto left = g.add([&] { ... }, {.name = "left", .cost = 3});
//     auto right = g.add([&] { ... }, {.name = "right"});
//     g.edge(load, left);
//     g.edge(load, right);
//     g.run(pool, {.order = heist::graph_order::critical_path});
//
// A function that takes a task_graph::running& may add others while it runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/refusal.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/stop_token.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0 {

// Which of the functions that can run begins first.
enum class graph_order : std::uint8_t {
  any,            // the fastest: what became ready last (the default)
  priority,       // the largest priority
  longest_first,  // the largest cost
  critical_path,  // the largest sum of costs on a path to the end
};

// Choices for one function of a graph.
struct node_options {
  std::string name = {};  // for errors and dot(); without one it is its number, as #3
  double cost = 1;        // in any unit
  int priority = 0;       // for graph_order::priority
};

// Choices for one run of a graph.
struct graph_options {
  graph_order order = graph_order::any;  // what begins first
  std::stop_token stop = {};             // no function is begun after a request
  bool measure = false;                  // take times, for dot()
};

// What became of a function in the last run.
enum class node_state : std::uint8_t {
  waiting,  // not run yet
  done,     // it has returned
  threw,    // it has thrown
  skipped,  // it depends on one that wasn't done, or a stop was requested
};

// How many functions of a run ended in each way.
struct graph_report {
  std::size_t done = 0;     // have returned
  std::size_t threw = 0;    // have thrown
  std::size_t skipped = 0;  // were not begun
};

namespace detail {

class graph_run;
class graph_store;
struct graph_node;
template <class F>
struct graph_node_of;

inline constexpr std::size_t max_graph_alignment = 4096;

// Why a graph can't call F. Running is task_graph::running.
template <class F, class Running>
consteval refusal why_no_graph_function() {
  using kept = std::decay_t<F>;
  if constexpr (!std::is_invocable_v<kept&> && !std::is_invocable_v<kept&, Running&>)
    return refusal::node_function;
  else if constexpr (!std::is_constructible_v<kept, F>)
    return refusal::not_copyable;
  else
    return alignof(kept) <= max_graph_alignment ? refusal::none : refusal::graph_alignment;
}
template <class F, class Running>
concept is_graph_function = why_no_graph_function<F, Running>() == refusal::none;

}  // namespace detail

// Two threads must not use a graph at once, except for what running functions do through running&.
class HEIST_API task_graph {
 public:
  // Names a function of one graph; invalid when the graph has been destroyed.
  class node {
    friend task_graph;
    node(const task_graph* graph, std::uint32_t index) noexcept : graph_(graph), index_(index) {}
    const task_graph* graph_;
    std::uint32_t index_;
  };

  // What a running function can do. Thread-safe, but valid only during the function's call. What
  // the function adds belongs to this run: the next run begins without it.
  class HEIST_API running {
   public:
    // Adds a function, which runs after the function that adds it is done.
    template <class F>
    requires detail::is_graph_function<F, running>
    node add(F&& f, node_options options = {}) {
      using made = detail::graph_node_of<std::decay_t<F>>;
      void* const place = place_for(sizeof(made), alignof(made));
      return add_node(made::make_at(place, &give_back, std::forward<F>(f)), std::move(options));
    }
    template <class F>
    requires(!detail::is_graph_function<F, running>)
    detail::refused add(F&&, node_options = {}) {
      detail::say<detail::why_no_graph_function<F, running>()>();
      return {};
    }
    // As task_graph::edge. Throws usage_error if `after` may have begun; if `before` is over, the
    // edge has no effect. A cycle that is made this way ends the run with a usage_error when
    // nothing else is left to do.
    void edge(node before, node after);

   private:
    template <class F>
    friend struct detail::graph_node_of;
    running(detail::graph_run& run, detail::graph_node& self) noexcept : run_(run), self_(self) {}
    static void* place_for(std::size_t size, std::size_t alignment);
    static void give_back(void* place) noexcept;
    node add_node(detail::graph_node* n, node_options options);

    detail::graph_run& run_;
    detail::graph_node& self_;
  };

  // A graph without functions. Throws std::bad_alloc.
  task_graph();
  ~task_graph();
  task_graph(const task_graph&) = delete;
  task_graph& operator=(const task_graph&) = delete;

  // Adds f() or f(running&), which is called once in each run. None of the members below may be
  // called while the graph runs: they throw usage_error. Costs some tens of ns, and 36 bytes beside
  // the function; options other than the default ones cost an allocation more.
  template <class F>
  requires detail::is_graph_function<F, running>
  node add(F&& f, node_options options = {}) {
    using made = detail::graph_node_of<std::decay_t<F>>;
    detail::graph_node* const n =
        made::make_at(place_for(sizeof(made), alignof(made)), nullptr, std::forward<F>(f));
    if constexpr (!std::is_trivially_destructible_v<std::decay_t<F>>) has_destructors_ = true;
    if constexpr (std::is_invocable_v<std::decay_t<F>&, running&>) can_grow_ = true;
    const bool has_options = options.priority != 0 || options.cost != 1 || !options.name.empty();
    return add_node(n, has_options ? &options : nullptr);
  }
  template <class F>
  requires(!detail::is_graph_function<F, running>)
  detail::refused add(F&&, node_options = {}) {
    detail::say<detail::why_no_graph_function<F, running>()>();
    return {};
  }
  // `after` runs when `before` is done. Throws usage_error for another graph's node. Costs some ns,
  // and 16 bytes; the next run sorts the edges.
  void edge(node before, node after);
  // How many functions there are.
  [[nodiscard]] std::size_t size() const noexcept;

  // Runs all functions, as many at once as the pool has workers, and returns when all are over. If
  // a function throws, those that depend on it are skipped and the others run. Then the exception
  // of the first function that threw, in the order of add(), is thrown; report() says what was
  // done. Throws usage_error before anything runs if there is a cycle, and names it.
  graph_report run(pool& p, graph_options options = {});
  // The same in the caller's pool, or in the default one.
  graph_report run(graph_options options = {});
  // Under a stop condition, such as a deadline: as with options.stop, and whichever comes first. It
  // is asked before each function. The report says what was skipped; no exception is thrown for the
  // stop.
  template <stop_condition S>
  graph_report run(pool& p, const S& stop, graph_options options = {}) {
    return p.run([&] { return run_here(options, detail::stop_poll(stop)); });
  }
  template <stop_condition S>
  graph_report run(const S& stop, graph_options options = {}) {
    return detail::run_in(nullptr, [&] { return run_here(options, detail::stop_poll(stop)); });
  }

  // About the last run.
  [[nodiscard]] graph_report report() const;
  // What became of one function. Throws usage_error for another graph's node.
  [[nodiscard]] node_state state(node n) const;
  // The graph in Graphviz's language, with the state of each function, and its time if it was
  // measured.
  [[nodiscard]] std::string dot() const;

 private:
  friend detail::graph_run;

  void* place_for(std::size_t size, std::size_t alignment);
  node add_node(detail::graph_node* n, node_options* options);
  void check_own(node n) const;
  void change();
  graph_report run_here(const graph_options& options, detail::stop_poll stop);

  std::unique_ptr<detail::graph_store> store_;
  bool has_destructors_ = false;  // functions have
  bool can_grow_ = false;         // a function takes a running&
  graph_report last_{};
  std::atomic<bool> is_running_{false};
};

}  // namespace heist::inline v0

#include "heist/detail/task_graph_impl.hpp"
