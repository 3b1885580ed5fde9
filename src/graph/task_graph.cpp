#include "heist/task_graph.hpp"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "graph/graph_run.hpp"
#include "heist/error.hpp"
#include "heist/parallel/split_loop.hpp"

namespace heist::inline v0 {

namespace detail {

graph_node::~graph_node() = default;

std::string name_of(const graph_node& n) {
  return n.options.name.empty() ? "#" + std::to_string(n.index) : n.options.name;
}

void throw_cycle(const std::vector<graph_node*>& left) {
  // From one back to one that it waits for, until one comes again: that one is on a cycle.
  std::unordered_map<const graph_node*, const graph_node*> waits_for;
  for (const graph_node* n : left)
    for (const graph_node* s : n->successors) waits_for[s] = n;
  std::unordered_map<const graph_node*, bool> seen;
  const graph_node* n = left.front();
  while (!seen[n]) {
    seen[n] = true;
    n = waits_for.at(n);
  }
  std::string names = name_of(*n);
  const graph_node* const end = n;
  do {
    n = waits_for.at(n);
    names = name_of(*n) + " -> " + names;
  } while (n != end);
  throw usage_error("task_graph: a cycle: " + names);
}

}  // namespace detail

using detail::graph_node;

task_graph::task_graph() = default;
task_graph::~task_graph() = default;

// Throws if the graph runs; what the last run added is forgotten.
void task_graph::change() {
  if (is_running_.load(std::memory_order_relaxed))
    throw usage_error(
        "task_graph: it runs; only a running function can change it, through running&");
  forget_grown();
  is_checked_ = false;
}

void task_graph::forget_grown() {
  if (nodes_.size() == own_nodes_) return;
  nodes_.resize(own_nodes_);
  for (const auto& n : nodes_) n->successors.resize(n->own_successors);
}

task_graph::node task_graph::add_node(std::unique_ptr<graph_node> n, node_options options) {
  change();
  n->graph = this;
  n->index = nodes_.size();
  n->options = std::move(options);
  nodes_.push_back(std::move(n));
  own_nodes_ = nodes_.size();
  return node(*nodes_.back());
}

graph_node& task_graph::own(node n) const {
  if (n.node_->graph != this)
    throw usage_error("task_graph: " + detail::name_of(*n.node_) + " belongs to another graph");
  return *n.node_;
}

void task_graph::edge(node before, node after) {
  graph_node& b = own(before);
  graph_node& a = own(after);
  change();
  b.successors.push_back(&a);
  b.own_successors = b.successors.size();
  ++a.predecessors;
}

// In an order in which each comes after what it depends on; the costs of the paths then from the end.
void task_graph::check_for_cycles() {
  if (is_checked_) return;
  std::vector<graph_node*> order;
  order.reserve(nodes_.size());
  std::vector<std::size_t> left(nodes_.size());
  for (const auto& n : nodes_)
    if ((left[n->index] = n->predecessors) == 0) order.push_back(n.get());
  for (std::size_t i = 0; i < order.size(); ++i)
    for (graph_node* s : order[i]->successors)
      if (--left[s->index] == 0) order.push_back(s);
  if (order.size() != nodes_.size()) {
    std::vector<graph_node*> stuck;
    for (const auto& n : nodes_)
      if (left[n->index] != 0) stuck.push_back(n.get());
    detail::throw_cycle(stuck);
  }
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    (*n)->path_cost = 0;
    for (const graph_node* s : (*n)->successors)
      (*n)->path_cost = std::max((*n)->path_cost, s->path_cost);
    (*n)->path_cost += (*n)->options.cost;
  }
  is_checked_ = true;
}

graph_report task_graph::run(pool& p, graph_options options) {
  return p.run([&] { return run_here(options); });
}

graph_report task_graph::run(graph_options options) {
  return detail::on_a_worker([&](unsigned) { return run_here(options); });
}

graph_report task_graph::run_here(const graph_options& options) {
  if (is_running_.exchange(true, std::memory_order_relaxed))
    throw usage_error("task_graph: it runs already");
  struct end_of_run {
    std::atomic<bool>& flag;
    ~end_of_run() { flag.store(false, std::memory_order_relaxed); }
  };
  const end_of_run end{is_running_};
  forget_grown();
  check_for_cycles();
  for (const auto& n : nodes_) {
    n->waits_for.store(n->predecessors, std::memory_order_relaxed);  // before the first fork
    n->is_spoiled.store(false, std::memory_order_relaxed);
    n->is_over = false;
    n->state = node_state::waiting;
    n->began_ns = n->ended_ns = -1;
    if (options.order == graph_order::priority)
      n->rank = n->options.priority;
    else
      n->rank = options.order == graph_order::critical_path ? n->path_cost : n->options.cost;
  }
  detail::graph_run r(*this, options);
  r.drain_all(std::max(1U, detail::workers_here()));
  r.rethrow();
  std::vector<graph_node*> stuck;
  for (const auto& n : nodes_)
    if (!n->is_over) stuck.push_back(n.get());
  if (!stuck.empty()) detail::throw_cycle(stuck);
  return report();
}

graph_report task_graph::report() const {
  graph_report r;
  for (const auto& n : nodes_) {
    r.done += n->state == node_state::done;
    r.threw += n->state == node_state::threw;
    r.skipped += n->state == node_state::skipped;
  }
  return r;
}

node_state task_graph::state(node n) const { return own(n).state; }

std::string task_graph::dot() const {
  constexpr const char* colours[] = {"white", "palegreen", "tomato", "lightgrey"};
  std::string text = "digraph {\n  node [shape=box, style=filled];\n";
  for (const auto& n : nodes_) {
    std::string label;
    for (const char c : detail::name_of(*n)) {
      if (c == '"' || c == '\\') label += '\\';
      label += c;
    }
    if (n->ended_ns >= 0) {
      char time[64];
      std::snprintf(time, sizeof(time), "\\n%.1f us at %.1f us",
                    static_cast<double>(n->ended_ns - n->began_ns) / 1e3,
                    static_cast<double>(n->began_ns) / 1e3);
      label += time;
    }
    text += "  n" + std::to_string(n->index) + " [label=\"" + label +
            "\", fillcolor=" + colours[static_cast<std::size_t>(n->state)] + "];\n";
    for (const graph_node* s : n->successors)
      text += "  n" + std::to_string(n->index) + " -> n" + std::to_string(s->index) + ";\n";
  }
  return text + "}\n";
}

task_graph::node task_graph::running::add_node(std::unique_ptr<graph_node> n,
                                               node_options options) {
  graph_node& added = *n;
  added.graph = &run_.graph();
  added.options = std::move(options);
  run_.add(self_, std::move(n));
  return node(added);
}

void task_graph::running::edge(node before, node after) {
  run_.edge(run_.graph().own(before), run_.graph().own(after));
}

}  // namespace heist::inline v0
