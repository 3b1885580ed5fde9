#include "heist/task_graph.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory_resource>
#include <unordered_map>

#include "graph/graph_run.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/error.hpp"
#include "heist/parallel_for.hpp"

namespace heist::inline v0 {

namespace detail {

graph_node::~graph_node() = default;

void delete_node::operator()(graph_node* n) const noexcept {
  node_details* const details = n->details;
  if (n->is_on_heap) {
    delete n;
    delete details;
  } else {
    n->~graph_node();
    if (details != nullptr) details->~node_details();
  }
}

// Blocks for the buffers below. Large ones begin at a large page and ask for such pages: edges lead
// to and fro in a graph, and with small pages nearly each of them would miss the TLB.
class block_resource final : public std::pmr::memory_resource {
  static constexpr std::size_t large_page = std::size_t{2} << 20;

  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (size < large_page) return ::operator new(size, std::align_val_t(alignment));
    void* const block = ::operator new(size, std::align_val_t(std::max(alignment, large_page)));
    ::madvise(block, size, MADV_HUGEPAGE);  // a wish: a refusal changes nothing but the speed
    return block;
  }
  void do_deallocate(void* block, std::size_t size, std::size_t alignment) override {
    ::operator delete(
        block, std::align_val_t(size < large_page ? alignment : std::max(alignment, large_page)));
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

class graph_memory {
 public:
  void* allocate(std::size_t size, std::size_t alignment) {
    return lines_.allocate(size, alignment);
  }
  node_details* make_details() {
    return ::new (details_.allocate(sizeof(node_details), alignof(node_details))) node_details;
  }
  graph_node** make_list(std::size_t capacity) {
    return static_cast<graph_node**>(
        lists_.allocate(capacity * sizeof(graph_node*), alignof(graph_node*)));
  }

 private:
  // Apart from each other, so that a run reads one cache line after the other.
  block_resource blocks_;
  std::pmr::monotonic_buffer_resource lines_{&blocks_};
  std::pmr::monotonic_buffer_resource details_{&blocks_};
  std::pmr::monotonic_buffer_resource lists_{&blocks_};
};

void node_list::grow(graph_memory* from) {
  const std::size_t capacity = 2 * std::size_t{size_};
  auto** const more = from == nullptr ? new graph_node*[capacity] : from->make_list(capacity);
  std::copy(begin(), end(), more);
  if (size_ > inside) give_back();
  many_ = more;
  is_own_ = from == nullptr;
}

void node_list::give_back() noexcept {
  if (is_own_) delete[] many_;
}

void node_list::resize(std::uint32_t size) noexcept {
  if (size_ > inside && size <= inside) {
    graph_node* last[inside];
    std::copy(many_, many_ + size, last);
    give_back();
    std::copy(last, last + size, few_);
  }
  size_ = size;
}

std::string name_of(const graph_node& n) {
  const auto& name = n.details->options.name;
  return name.empty() ? "#" + std::to_string(n.details->index) : name;
}

void throw_cycle(const std::vector<graph_node*>& left) {
  // Walks from each node back to one that it waits for, until a node repeats: it is on a cycle.
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

task_graph::node::node(graph_node& n, const task_graph& graph) noexcept
    : node_(&n), graph_(&graph), index_(n.details->index) {}

task_graph::task_graph() : memory_(std::make_unique<detail::graph_memory>()) {}
task_graph::~task_graph() = default;

// Throws if the graph runs; what the last run added is forgotten.
void task_graph::change() {
  if (is_running_.load(std::memory_order_relaxed))
    throw usage_error(
        "task_graph: it runs; only a running function can change it, through running&");
  forget_grown();
}

void task_graph::forget_grown() {
  if (nodes_.size() == predecessors_.size()) return;
  nodes_.resize(predecessors_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->successors.resize(own_successors_[i]);
}

void* task_graph::place_for(std::size_t size, std::size_t alignment) {
  change();
  if (nodes_.size() == std::numeric_limits<std::uint32_t>::max())
    throw resource_error("task_graph: it has 4294967295 functions, the most there can be");
  return memory_->allocate(size, alignment);
}

task_graph::node task_graph::add_node(detail::node_pointer n, node_options options) {
  n->details = memory_->make_details();
  n->details->index = nodes_.size();
  n->details->options = std::move(options);
  predecessors_.push_back(0);
  try {
    nodes_.push_back(std::move(n));
  } catch (...) {
    predecessors_.pop_back();  // otherwise forget_grown() would take it for a node that a run added
    throw;
  }
  is_checked_ = has_path_costs_ = false;
  return node(*nodes_.back(), *this);
}

graph_node& task_graph::own(node n) const {
  if (n.graph_ != this)
    throw usage_error("task_graph: " + detail::name_of(*n.node_) + " belongs to another graph");
  return *n.node_;
}

void task_graph::edge(node before, node after) {
  graph_node& b = own(before);
  graph_node& a = own(after);
  change();
  b.successors.push_back(&a, memory_.get());
  ++predecessors_[after.index_];
  if (before.index_ >= after.index_) is_in_order_ = false;
  is_checked_ = has_path_costs_ = false;
}

// The nodes in an order in which each comes after all that it depends on. Shorter than nodes_ if
// there is a cycle; then waits_for isn't 0 for what the cycle blocks.
std::vector<graph_node*> task_graph::in_order() {
  std::vector<graph_node*> order;
  order.reserve(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i]->waits_for.store(predecessors_[i], std::memory_order_relaxed);
    if (predecessors_[i] == 0) order.push_back(nodes_[i].get());
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (graph_node* s : order[i]->successors) {
      const auto left = s->waits_for.load(std::memory_order_relaxed) - 1;
      s->waits_for.store(left, std::memory_order_relaxed);
      if (left == 0) order.push_back(s);
    }
  }
  return order;
}

void task_graph::check_for_cycles() {
  if (is_checked_ || is_in_order_) return;
  if (in_order().size() != nodes_.size()) {
    std::vector<graph_node*> stuck;
    for (const auto& n : nodes_)
      if (n->waits_for.load(std::memory_order_relaxed) != 0) stuck.push_back(n.get());
    detail::throw_cycle(stuck);
  }
  is_checked_ = true;
}

void task_graph::find_path_costs() {
  if (has_path_costs_) return;
  const auto order = in_order();
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    double longest = 0;
    for (const graph_node* s : (*n)->successors) longest = std::max(longest, s->details->path_cost);
    (*n)->details->path_cost = longest + (*n)->details->options.cost;
  }
  has_path_costs_ = true;
}

graph_report task_graph::run(pool& p, graph_options options) {
  return p.run([&] { return run_here(options, {}); });
}

graph_report task_graph::run(graph_options options) {
  return detail::on_a_worker([&](unsigned) { return run_here(options, {}); });
}

// Called before the first fork of a run, which orders the relaxed stores.
void task_graph::prepare(const graph_options& options) {
  if (options.order == graph_order::critical_path) find_path_costs();
  if (can_grow_) own_successors_.resize(nodes_.size());
  const bool needs_details = options.order != graph_order::any || options.measure || was_measured_;
  parallel_for(std::size_t{0}, nodes_.size(), [&](std::size_t i) {
    graph_node& n = *nodes_[i];
    n.waits_for.store(predecessors_[i], std::memory_order_relaxed);
    n.is_spoiled.store(false, std::memory_order_relaxed);
    n.is_over = false;
    n.state = node_state::waiting;
    if (can_grow_) own_successors_[i] = n.successors.size();
    if (!needs_details) return;
    detail::node_details& d = *n.details;
    d.began_ns = d.ended_ns = -1;
    d.rank = rank_of(d, options.order);
  });
  was_measured_ = options.measure;
}

double task_graph::rank_of(const detail::node_details& d, graph_order order) {
  if (order == graph_order::priority) return d.options.priority;
  return order == graph_order::critical_path ? d.path_cost : d.options.cost;
}

graph_report task_graph::run_here(const graph_options& options, detail::stop_poll stop) {
  if (is_running_.exchange(true, std::memory_order_relaxed))
    throw usage_error("task_graph: it runs already");
  struct end_of_run {
    std::atomic<bool>& flag;
    ~end_of_run() { flag.store(false, std::memory_order_relaxed); }
  };
  const end_of_run end{is_running_};
  forget_grown();
  check_for_cycles();
  prepare(options);
  detail::graph_run r(*this, options, stop);
  r.drain_all(std::max(1U, detail::workers_here()));
  last_ = {};
  bool all_over = true;
  for (const auto& n : nodes_) {
    last_.done += n->state == node_state::done;
    last_.threw += n->state == node_state::threw;
    last_.skipped += n->state == node_state::skipped;
    all_over = all_over && n->is_over;
  }
  r.rethrow();
  if (!all_over) {
    std::vector<graph_node*> stuck;
    for (const auto& n : nodes_)
      if (!n->is_over) stuck.push_back(n.get());
    detail::throw_cycle(stuck);
  }
  return last_;
}

graph_report task_graph::report() const { return last_; }

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
    const detail::node_details& d = *n->details;
    if (d.ended_ns >= 0) {
      char time[64];
      std::snprintf(time, sizeof(time), "\\n%.1f us at %.1f us",
                    static_cast<double>(d.ended_ns - d.began_ns) / 1e3,
                    static_cast<double>(d.began_ns) / 1e3);
      label += time;
    }
    text += "  n" + std::to_string(d.index) + " [label=\"" + label +
            "\", fillcolor=" + colours[static_cast<std::size_t>(n->state)] + "];\n";
    for (const graph_node* s : n->successors)
      text += "  n" + std::to_string(d.index) + " -> n" + std::to_string(s->details->index) + ";\n";
  }
  return text + "}\n";
}

task_graph::node task_graph::running::add_node(detail::node_pointer n, node_options options) {
  graph_node& added = *n;
  added.is_on_heap = true;
  added.details = new detail::node_details;
  added.details->options = std::move(options);
  run_.add(self_, std::move(n));
  return node(added, run_.graph());
}

void task_graph::running::edge(node before, node after) {
  run_.edge(run_.graph().own(before), run_.graph().own(after));
}

}  // namespace heist::inline v0
