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
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/detail/export.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/short_lock.hpp"
#include "heist/detail/stop_token.hpp"
#include "heist/detail/stopping.hpp"
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
struct graph_node;

// A graph's own nodes lie one after the other, as do their lists.
class graph_memory;

// Pointers to nodes, of which the first two need no memory of their own.
class node_list {
 public:
  node_list() noexcept = default;
  ~node_list() { resize(0); }
  node_list(const node_list&) = delete;
  node_list& operator=(const node_list&) = delete;

  // More memory, if it is needed, is the graph's, which doesn't take it back, or with nullptr the list's own.
  void push_back(graph_node* n, graph_memory* from) {
    if (size_ >= inside && (size_ & (size_ - 1)) == 0) grow(from);
    data()[size_++] = n;
  }
  void pop_back() noexcept { resize(size_ - 1); }
  // To as many as there are or fewer.
  HEIST_API void resize(std::uint32_t size) noexcept;
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] graph_node* const* begin() const noexcept { return size_ <= inside ? few_ : many_; }
  [[nodiscard]] graph_node* const* end() const noexcept { return begin() + size_; }

 private:
  static constexpr std::uint32_t inside = 2;
  graph_node** data() noexcept { return size_ < inside ? few_ : many_; }
  HEIST_API void grow(graph_memory* from);  // from a power of two to the next
  void give_back() noexcept;                // many_

  union {
    graph_node* few_[inside]{};
    graph_node** many_;
  };
  std::uint32_t size_ = 0;
  bool is_own_ = false;  // many_ is
};

// What a run doesn't touch unless it is asked to.
struct node_details {
  node_options options{};
  std::size_t index = 0;
  double rank = 0;
  double path_cost = 0;        // of the dearest path from here to the end
  std::int64_t began_ns = -1;  // since the run began
  std::int64_t ended_ns = -1;
};

// One line of the cache; the function comes next.
struct [[gnu::visibility("default")]] alignas(64) graph_node {
  graph_node() noexcept = default;
  virtual ~graph_node();
  virtual void call(graph_run & run) = 0;

  // Of the current or last run.
  std::atomic<std::uint32_t> waits_for{0};  // predecessors that aren't over; 0: it may have begun
  short_lock guard{};
  graph_node* next_ready = nullptr;
  node_list successors{};               // guarded by guard until it is over, if nodes can be added
  bool is_over = false;                 // as successors
  std::atomic<bool> is_spoiled{false};  // a predecessor wasn't done
  node_state state = node_state::waiting;

  bool is_on_heap = false;  // otherwise it lies in its graph's memory
  node_details* details = nullptr;
};
static_assert(sizeof(void*) != 8 || sizeof(graph_node) == 64);

struct delete_node {
  HEIST_API void operator()(graph_node* n) const noexcept;
};
using node_pointer = std::unique_ptr<graph_node, delete_node>;

template <class F>
struct graph_node_of final : graph_node {
  template <class G>
  explicit graph_node_of(G&& g) : function(std::forward<G>(g)) {}
  void call(graph_run& run) override;
  F function;
};

}  // namespace detail

// Not for use by two threads at once, but for what a running function does through running&.
class HEIST_API task_graph {
 public:
  // Names a function of one graph; of no use once the graph has ended.
  class node {
    friend task_graph;
    node(detail::graph_node& n, const task_graph& of) noexcept;
    detail::graph_node* node_;
    const task_graph* graph_;
    std::size_t index_;
  };

  // What a running function can do. Thread-safe, but valid only during the function's call. What it adds belongs to this
  // run: the next one begins without it.
  class HEIST_API running {
   public:
    running(detail::graph_run& run, detail::graph_node& self) noexcept : run_(run), self_(self) {}

    // It runs after the function that adds it is done.
    template <class F>
    node add(F&& f, node_options options = {}) {
      using made = detail::graph_node_of<std::decay_t<F>>;
      return add_node(detail::node_pointer(new made(std::forward<F>(f))), std::move(options));
    }
    // As task_graph::edge. Throws usage_error if `after` may have begun; if `before` is over, nothing is waited for. A
    // cycle that is made this way ends the run with a usage_error when nothing else is left to do.
    void edge(node before, node after);

   private:
    node add_node(detail::node_pointer n, node_options options);

    detail::graph_run& run_;
    detail::graph_node& self_;
  };

  task_graph();
  ~task_graph();
  task_graph(const task_graph&) = delete;
  task_graph& operator=(const task_graph&) = delete;

  // f() or f(running&), called once a run. None of the members below may be called while the graph runs: they throw
  // usage_error.
  template <class F>
  node add(F&& f, node_options options = {}) {
    using made = detail::graph_node_of<std::decay_t<F>>;
    void* const place = place_for(sizeof(made), alignof(made));
    detail::node_pointer n(::new (place) made(std::forward<F>(f)));
    if constexpr (std::is_invocable_v<std::decay_t<F>&, running&>) can_grow_ = true;
    return add_node(std::move(n), std::move(options));
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
  // Under a stop condition, such as a deadline: as with options.stop, and whichever comes first. It is asked before each
  // function; what is skipped is told by the report, and nothing is thrown.
  template <stop_condition S>
  graph_report run(pool& p, const S& stop, graph_options options = {}) {
    return p.run([&] { return run_here(options, detail::stop_poll(stop)); });
  }
  template <stop_condition S>
  graph_report run(const S& stop, graph_options options = {}) {
    return detail::run_in(nullptr, [&] { return run_here(options, detail::stop_poll(stop)); });
  }

  // Of the last run.
  [[nodiscard]] graph_report report() const;
  [[nodiscard]] node_state state(node n) const;
  // In Graphviz's language, with what became of each function, and its time if it was measured.
  [[nodiscard]] std::string dot() const;

 private:
  friend detail::graph_run;

  void* place_for(std::size_t size, std::size_t alignment);
  node add_node(detail::node_pointer n, node_options options);
  detail::graph_node& own(node n) const;
  void change();
  void check_for_cycles();
  void find_path_costs();
  std::vector<detail::graph_node*> in_order();
  void prepare(const graph_options& options);
  static double rank_of(const detail::node_details& d, graph_order order);
  graph_report run_here(const graph_options& options, detail::stop_poll stop);
  void forget_grown();

  std::unique_ptr<detail::graph_memory> memory_;
  std::vector<detail::node_pointer> nodes_;    // a run appends under its lock
  std::vector<std::uint32_t> predecessors_;    // of each, but of those that running functions added
  std::vector<std::uint32_t> own_successors_;  // the same, before a run that may add some
  bool can_grow_ = false;
  bool is_in_order_ = true;  // all edges go from an earlier node to a later one
  bool is_checked_ = false;  // for cycles
  bool has_path_costs_ = false;
  bool was_measured_ = false;
  graph_report last_{};
  std::atomic<bool> is_running_{false};
};

namespace detail {

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

}  // namespace heist::inline v0
