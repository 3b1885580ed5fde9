// The machinery of <heist/task_graph.hpp>: the nodes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/short_lock.hpp"
#include "heist/task_graph.hpp"

namespace heist::inline v0::detail {

// A list of pointers to nodes. The first two need no memory of their own.
class node_list {
 public:
  node_list() noexcept = default;
  ~node_list() { resize(0); }
  node_list(const node_list&) = delete;
  node_list& operator=(const node_list&) = delete;

  // If more memory is needed, it comes from the graph, which doesn't take it back; with nullptr it
  // belongs to the list.
  void push_back(graph_node* n, graph_memory* from) {
    if (size_ >= inside && (size_ & (size_ - 1)) == 0) grow(from);
    data()[size_++] = n;
  }
  void pop_back() noexcept { resize(size_ - 1); }
  // To the present size or a smaller one.
  HEIST_API void resize(std::uint32_t size) noexcept;
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] graph_node* const* begin() const noexcept { return size_ <= inside ? few_ : many_; }
  [[nodiscard]] graph_node* const* end() const noexcept { return begin() + size_; }

 private:
  static constexpr std::uint32_t inside = 2;
  graph_node** data() noexcept { return size_ < inside ? few_ : many_; }
  HEIST_API void grow(graph_memory* from);  // from a power of two to the next
  void give_back() noexcept;                // frees many_

  union {
    graph_node* few_[inside]{};
    graph_node** many_;
  };
  std::uint32_t size_ = 0;
  bool is_own_ = false;  // many_ belongs to the list, not to the graph
};

// What a run touches only if its options ask for it.
struct node_details {
  node_options options{};
  std::size_t index = 0;
  double rank = 0;
  double path_cost = 0;        // the greatest sum of costs on a path to the end
  std::int64_t began_ns = -1;  // since the run began
  std::int64_t ended_ns = -1;
};

// Takes one cache line; the function follows it.
struct [[gnu::visibility("default")]] alignas(64) graph_node {
  graph_node() noexcept = default;
  virtual ~graph_node();
  virtual void call(graph_run & run) = 0;

  // These describe the current or last run.
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

}  // namespace heist::inline v0::detail
