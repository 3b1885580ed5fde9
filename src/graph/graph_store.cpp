#include "graph/graph_store.hpp"

#include <bit>
#include <unordered_map>

#include "heist/error.hpp"
#include "heist/parallel_for.hpp"

namespace heist::inline v0::detail {

graph_node::~graph_node() = default;

void* graph_store::place_for(std::size_t size, std::size_t alignment) {
  if (nodes.size() >= most_nodes)
    throw resource_error("task_graph: it has 4294967295 functions, the most there can be");
  return places_.allocate(size, alignment);
}

void graph_store::add(graph_node& n, node_options* options) {
  n.index = static_cast<std::uint32_t>(nodes.size());
  std::unique_ptr<node_options> kept;
  if (options != nullptr) {
    if (options_.size() <= n.index) options_.reserve(std::bit_ceil(n.index + std::size_t{1}));
    kept = std::make_unique<node_options>(std::move(*options));
  }
  nodes.push_back(&n);
  try {
    predecessors.push_back(0);
  } catch (...) {
    nodes.pop_back();
    throw;
  }
  if (kept != nullptr) {
    options_.resize(n.index + std::size_t{1});  // it has the memory
    options_[n.index] = std::move(kept);
  }
  has_path_costs_ = false;
}

void graph_store::add_edge(std::size_t before, std::size_t after) {
  if (edges_.size() >= graph_node::none)
    throw resource_error("task_graph: it has 4294967295 edges, the most there can be");
  edges_.push_back({static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(after)});
  ++predecessors[after];
  if (before >= after) is_in_order_ = false;
  is_arranged_ = is_checked_ = has_path_costs_ = false;
}

void graph_store::destroy_functions() noexcept {
  for (graph_node* n : nodes) n->~graph_node();
}

// Sorts the edges by their first node; those of one node keep their order.
void graph_store::arrange() {
  if (is_arranged_) return;
  const std::size_t n = nodes.size();
  lists_.resize(edges_.size());
  // After the first pass, how many successors each node has; then where its next one goes.
  block_vector<std::uint32_t> places;
  places.assign(n, 0);
  for (const edge& e : edges_) ++places[e.before];
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t successors = places[i];
    nodes[i]->first_successor = successors == 0 ? graph_node::none : first;
    places[i] = first;
    first += successors;
  }
  for (const edge& e : edges_)
    lists_[places[e.before]++] = reinterpret_cast<tagged>(nodes[e.after]);
  first = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (places[i] != first) lists_[places[i] - std::size_t{1}] |= 1;
    first = places[i];
  }
  is_arranged_ = true;
}

// The nodes in an order in which each comes after all that it depends on. Fewer than there are if
// there is a cycle; then waits_for isn't 0 for what the cycle blocks.
std::vector<graph_node*> graph_store::in_order() {
  arrange();
  std::vector<graph_node*> order;
  order.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i]->waits_for.store(predecessors[i], std::memory_order_relaxed);
    if (predecessors[i] == 0) order.push_back(nodes[i]);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    each_own_successor(*order[i], [&order](graph_node& s) {
      const auto left = s.waits_for.load(std::memory_order_relaxed) - 1;
      s.waits_for.store(left, std::memory_order_relaxed);
      if (left == 0) order.push_back(&s);
    });
  }
  return order;
}

void graph_store::check_for_cycles() {
  if (is_checked_ || is_in_order_) return;
  if (in_order().size() != nodes.size()) {
    std::vector<graph_node*> stuck;
    for (graph_node* n : nodes)
      if (n->waits_for.load(std::memory_order_relaxed) != 0) stuck.push_back(n);
    throw_cycle(stuck);
  }
  is_checked_ = true;
}

void graph_store::find_path_costs() {
  if (has_path_costs_) return;
  path_costs_.resize(nodes.size());
  const auto order = in_order();
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    double longest = 0;
    each_own_successor(
        **n, [&](const graph_node& s) { longest = std::max(longest, path_costs_[s.index]); });
    path_costs_[(*n)->index] = longest + options_of(**n).cost;
  }
  has_path_costs_ = true;
}

// Called before the first push of a run, which orders the relaxed stores.
void graph_store::prepare(bool can_grow) {
  arrange();
  if (can_grow) extras_.resize(nodes.size());
  has_grown_ = can_grow;
  times_.clear();
  parallel_for(std::size_t{0}, nodes.size(), [&](std::size_t i) {
    graph_node& n = *nodes[i];
    n.waits_for.store(predecessors[i], std::memory_order_relaxed);
    n.is_spoiled.store(false, std::memory_order_relaxed);
    n.state = node_state::waiting;
    n.is_over = false;
  });
}

void graph_store::prepare_times() { times_.assign(nodes.size(), {}); }

void graph_store::prepare_ranks(graph_order order) {
  if (order == graph_order::critical_path) find_path_costs();
  ranks_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    ranks_[i] = order == graph_order::critical_path ? path_costs_[i]
                                                    : rank_by_options(options_of(*nodes[i]), order);
}

void graph_store::forget_grown() noexcept {
  if (!has_grown_) return;
  has_grown_ = false;
  destroy_grown();
  grown.clear();
  for (auto& list : extras_) list.clear();
}

void graph_store::destroy_grown() noexcept {
  for (graph_node* n : grown) {
    n->~graph_node();
    give_back_grown(n);
  }
}

const node_options& graph_store::options_of(const graph_node& n) const noexcept {
  static const node_options by_default{};
  if (n.is_grown) return part_of(n).options;
  const bool has_some = n.index < options_.size() && options_[n.index] != nullptr;
  return has_some ? *options_[n.index] : by_default;
}

std::string graph_store::name_of(const graph_node& n) const {
  const auto& name = options_of(n).name;
  return name.empty() ? "#" + std::to_string(n.index) : name;
}

node_times graph_store::times_of(const graph_node& n) const noexcept {
  if (n.is_grown) return part_of(n).times;
  return n.index < times_.size() ? times_[n.index] : node_times{};
}

void* graph_store::place_for_grown(std::size_t size, std::size_t alignment) {
  alignment = std::max(alignment, alignof(grown_part));
  const std::size_t before = (sizeof(grown_part) + alignment - 1) / alignment * alignment;
  // aligned_alloc wants a multiple of the alignment.
  const std::size_t all = (before + size + alignment - 1) / alignment * alignment;
  void* const block = ::operator new(all, std::align_val_t(alignment));
  std::byte* const place = static_cast<std::byte*>(block) + before;
  auto* const part = ::new (static_cast<void*>(place - sizeof(grown_part))) grown_part{block};
  part->alignment = alignment;
  return place;
}

void graph_store::give_back_grown(void* place) noexcept {
  auto* const part = reinterpret_cast<grown_part*>(static_cast<std::byte*>(place)) - 1;
  void* const block = part->block;
  const std::align_val_t alignment{part->alignment};
  part->~grown_part();
  ::operator delete(block, alignment);
}

void graph_store::throw_cycle(const std::vector<graph_node*>& left) {
  // Walks from each node back to one that it waits for, until a node repeats: it is on a cycle.
  std::unordered_map<const graph_node*, const graph_node*> waits_for;
  for (const graph_node* n : left)
    each_successor(*n, [&](const graph_node& s) { waits_for[&s] = n; });
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

}  // namespace heist::inline v0::detail
