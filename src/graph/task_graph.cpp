#include "heist/task_graph.hpp"
#include "heist/detail/entry.hpp"

#include <algorithm>
#include <cstdio>

#include "graph/graph_store.hpp"
#include "graph/ranked_drains.hpp"
#include "graph/stolen_drains.hpp"
#include "heist/error.hpp"

namespace heist::inline v0 {

using detail::graph_node;

task_graph::task_graph() : store_(std::make_unique<detail::graph_store>()) {}
task_graph::~task_graph() {
  if (has_destructors_) store_->destroy_functions();
}

std::size_t task_graph::size() const noexcept { return store_->size(); }

// Throws if the graph runs; what the last run added is forgotten.
void task_graph::change() {
  if (is_running_.load(std::memory_order_relaxed)) [[unlikely]]
    throw usage_error(
        "task_graph: it runs; only a running function can change it, through running&");
  store_->forget_grown();
}

void* task_graph::place_for(std::size_t size, std::size_t alignment) {
  change();
  return store_->place_for(size, alignment);
}

task_graph::node task_graph::add_node(graph_node* n, node_options* options) {
  try {
    store_->add(*n, options);
  } catch (...) {
    n->~graph_node();
    throw;
  }
  return {this, n->index};
}

void task_graph::check_own(node n) const {
  if (n.graph_ != this) [[unlikely]]
    throw usage_error("task_graph: " + n.graph_->store_->name_of(n.index_) +
                      " belongs to another graph");
}

void task_graph::edge(node before, node after) {
  check_own(before);
  check_own(after);
  change();
  store_->add_edge(before.index_, after.index_);
}

graph_report task_graph::run(pool& p, graph_options options) {
  return p.run([&] { return run_here(options, {}); });
}

graph_report task_graph::run(graph_options options) {
  return detail::on_a_worker([&](unsigned) { return run_here(options, {}); });
}

graph_report task_graph::run_here(const graph_options& options, detail::stop_poll stop) {
  if (is_running_.exchange(true, std::memory_order_relaxed))
    throw usage_error("task_graph: it runs already");
  struct end_of_run {
    std::atomic<bool>& flag;
    ~end_of_run() { flag.store(false, std::memory_order_relaxed); }
  };
  const end_of_run end{is_running_};
  detail::graph_store& store = *store_;
  store.forget_grown();
  store.check_for_cycles();
  if (options.order != graph_order::any) store.prepare_ranks(options.order);
  store.prepare(can_grow_);  // after that, which counts in the nodes
  if (options.measure) store.prepare_times();
  const unsigned workers = std::max(1U, detail::workers_here());
  const detail::run_rules rules{options, stop, can_grow_, workers == 1};
  const auto conclude = [&](detail::graph_run& r) {
    last_ = r.report();
    r.rethrow();
    if (r.all_are_over()) return;
    std::vector<graph_node*> stuck;
    store.each_node([&stuck](graph_node& n) {
      if (n.state == node_state::waiting) stuck.push_back(&n);
    });
    store.throw_cycle(stuck);
  };
  if (options.order == graph_order::any) {
    detail::stolen_drains r(*this, store, rules);
    r.run();
    conclude(r);
  } else {
    detail::ranked_drains r(*this, store, rules);
    r.run(workers);
    conclude(r);
  }
  return last_;
}

graph_report task_graph::report() const { return last_; }

node_state task_graph::state(node n) const {
  check_own(n);
  return store_->at(n.index_).state;
}

std::string task_graph::dot() const {
  constexpr const char* colours[] = {"white", "palegreen", "tomato", "lightgrey"};
  std::string text = "digraph {\n  node [shape=box, style=filled];\n";
  store_->arrange();
  store_->each_node([&](const graph_node& n) {
    std::string label;
    for (const char c : store_->name_of(n)) {
      if (c == '"' || c == '\\') label += '\\';
      label += c;
    }
    const detail::node_times times = store_->times_of(n);
    if (times.ended_ns >= 0) {
      char time[64];
      std::snprintf(time, sizeof(time), "\\n%.1f us at %.1f us",
                    static_cast<double>(times.ended_ns - times.began_ns) / 1e3,
                    static_cast<double>(times.began_ns) / 1e3);
      label += time;
    }
    const std::string number = "  n" + std::to_string(n.index);
    text += number + " [label=\"" + label +
            "\", fillcolor=" + colours[static_cast<std::size_t>(n.state)] + "];\n";
    store_->each_successor(n, [&](const graph_node& s) {
      text += number + " -> n" + std::to_string(s.index) + ";\n";
    });
  });
  return text + "}\n";
}

void* task_graph::running::place_for(std::size_t size, std::size_t alignment) {
  return detail::graph_store::place_for_grown(size, alignment);
}

void task_graph::running::give_back(void* place) noexcept {
  detail::graph_store::give_back_grown(place);
}

task_graph::node task_graph::running::add_node(graph_node* n, node_options options) {
  n->is_grown = true;
  detail::graph_store::part_of(*n).options = std::move(options);
  try {
    run_.add(self_, *n);
  } catch (...) {
    n->~graph_node();
    give_back(n);
    throw;
  }
  return {&run_.graph(), n->index};
}

void task_graph::running::edge(node before, node after) {
  run_.graph().check_own(before);
  run_.graph().check_own(after);
  run_.edge(before.index_, after.index_);
}

}  // namespace heist::inline v0
