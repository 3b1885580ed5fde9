// The machinery of <heist/task_graph.hpp>: the nodes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/task_graph.hpp"

namespace heist::inline v0::detail {

// A function of a graph, which follows it: with a small one, half a cache line. What few runs need
// lies elsewhere (src/graph/graph_store.hpp).
struct [[gnu::visibility("default")]] graph_node {
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  graph_node() noexcept = default;
  HEIST_API virtual ~graph_node();
  virtual void call(graph_run& run) = 0;

  // These describe the current or last run.
  std::atomic<std::uint32_t> waits_for{0};  // predecessors that aren't over; 0: it may have begun
  std::uint32_t index = 0;                  // constant
  std::uint32_t first_successor = none;     // in the graph's lists; constant during a run
  std::atomic<bool> is_spoiled{false};      // a predecessor wasn't done
  node_state state = node_state::waiting;
  bool is_over = false;   // if nodes can be added: guarded by graph_run::guard_of(node)
  bool is_grown = false;  // a running function added it: it has a grown_part
};
static_assert(sizeof(void*) != 8 || sizeof(graph_node) == 24);

template <class F>
struct graph_node_of final : graph_node {
  template <class G>
  explicit graph_node_of(G&& g) : function(std::forward<G>(g)) {}

  // Gives the place back if the function can't be made there.
  template <class G>
  static graph_node* make_at(void* place, void (*give_back)(void*) noexcept, G&& g) {
    struct guard {
      ~guard() {
        if (give_back != nullptr) give_back(place);
      }
      void* const place;
      void (*give_back)(void*) noexcept;
    } unless_made{place, give_back};
    graph_node* const made = ::new (place) graph_node_of(std::forward<G>(g));
    unless_made.give_back = nullptr;
    return made;
  }

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
