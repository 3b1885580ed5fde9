// What a task graph consists of, between and during its runs.
//
// Memory. A graph of a million functions has to cost little more than its functions and edges, and
// making it must not touch memory at random: the nodes lie one after the other in blocks, and an
// edge is two numbers at the end of a list. A run that finds new edges sorts them by predecessor
// (arrange), each node's successors one after the other; the last one of a node is tagged. Options
// that aren't the default ones, times and ranks lie apart, if there are any.
//
// What running functions add (`grown`) belongs to one run. Its nodes are on the heap, each behind a
// grown_part; successors that a run added to any node are in `extras`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

#include "heist/detail/huge_pages.hpp"
#include "heist/task_graph.hpp"

namespace heist::inline v0::detail {

// Large blocks begin at a large page and ask for such pages: edges lead to and fro in a graph, and
// with small pages nearly each of them would miss the TLB.
class block_resource final : public std::pmr::memory_resource {
 public:
  static void* take(std::size_t size, std::size_t alignment) {
    if (size < large_page) return ::operator new(size, std::align_val_t(alignment));
    void* const block = ::operator new(size, std::align_val_t(std::max(alignment, large_page)));
    prefer_huge_pages(block, size);
    return block;
  }
  static void give_back(void* block, std::size_t size, std::size_t alignment) noexcept {
    ::operator delete(
        block, std::align_val_t(size < large_page ? alignment : std::max(alignment, large_page)));
  }

 private:
  static constexpr std::size_t large_page = std::size_t{2} << 20;

  void* do_allocate(std::size_t size, std::size_t alignment) override {
    return take(size, alignment);
  }
  void do_deallocate(void* block, std::size_t size, std::size_t alignment) override {
    give_back(block, size, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

template <class T>
struct block_allocator {
  using value_type = T;
  block_allocator() noexcept = default;
  template <class U>
  explicit block_allocator(const block_allocator<U>&) noexcept {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(block_resource::take(n * sizeof(T), alignof(T)));
  }
  void deallocate(T* p, std::size_t n) noexcept {
    block_resource::give_back(p, n * sizeof(T), alignof(T));
  }
  // Elements of resize() are left as they are.
  template <class U>
  void construct(U* p) noexcept {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... A>
  void construct(U* p, A&&... a) {
    ::new (static_cast<void*>(p)) U(std::forward<A>(a)...);
  }
  friend bool operator==(const block_allocator&, const block_allocator&) noexcept { return true; }
};
template <class T>
using block_vector = std::vector<T, block_allocator<T>>;

struct node_times {
  std::int64_t began_ns = -1;  // since the run began
  std::int64_t ended_ns = -1;
};

// Lies before a node that a running function added.
struct alignas(16) grown_part {
  void* block;
  std::size_t alignment = 0;  // of the block
  node_options options{};
  node_times times{};
  double rank = 0;
  std::vector<graph_node*> extras{};
};

class graph_store {
 public:
  static constexpr std::size_t most_nodes = graph_node::none;

  graph_store() = default;
  graph_store(const graph_store&) = delete;
  graph_store& operator=(const graph_store&) = delete;
  ~graph_store() { destroy_grown(); }

  // ---- Making it.
  void* place_for(std::size_t size, std::size_t alignment);
  void add(graph_node& n, node_options* options);
  void add_edge(std::size_t before, std::size_t after);
  // Calls the destructors of the functions; nothing of the graph is used any more.
  void destroy_functions() noexcept;

  // ---- A run.
  // Throws usage_error if there is a cycle.
  void check_for_cycles();
  // Everything but the ranks and times. The functions aren't over.
  void prepare(bool can_grow);
  void prepare_times();
  void prepare_ranks(graph_order order);
  // Destroys what running functions added.
  void forget_grown() noexcept;
  // Sorts the edges, if there are new ones.
  void arrange();

  // ---- Nodes.
  [[nodiscard]] std::size_t size() const noexcept { return nodes.size() + grown.size(); }
  [[nodiscard]] graph_node& at(std::size_t index) const noexcept {
    return *(index < nodes.size() ? nodes[index] : grown[index - nodes.size()]);
  }
  [[nodiscard]] const node_options& options_of(const graph_node& n) const noexcept;
  [[nodiscard]] std::string name_of(const graph_node& n) const;
  [[nodiscard]] std::string name_of(std::uint32_t index) const { return name_of(at(index)); }
  [[nodiscard]] node_times times_of(const graph_node& n) const noexcept;
  [[nodiscard]] node_times& times_to_take(const graph_node& n) noexcept {
    return n.is_grown ? part_of(n).times : times_[n.index];
  }
  [[nodiscard]] double rank_of(const graph_node& n) const noexcept {
    return n.is_grown ? part_of(n).rank : ranks_[n.index];
  }
  static double rank_by_options(const node_options& options, graph_order order) noexcept {
    return order == graph_order::priority ? options.priority : options.cost;
  }
  // Successors that running functions added; only if they can.
  [[nodiscard]] std::vector<graph_node*>& extras_of(const graph_node& n) noexcept {
    return n.is_grown ? part_of(n).extras : extras_[n.index];
  }
  // For nodes that running functions add.
  static void* place_for_grown(std::size_t size, std::size_t alignment);
  static void give_back_grown(void* place) noexcept;
  static grown_part& part_of(const graph_node& n) noexcept {
    return const_cast<grown_part*>(reinterpret_cast<const grown_part*>(&n))[-1];
  }

  template <class F>
  void each_node(const F& f) const {
    for (graph_node* n : nodes) f(*n);
    for (graph_node* n : grown) f(*n);
  }
  // Calls f(successor) for those that the graph itself has.
  template <class F>
  void each_own_successor(const graph_node& n, const F& f) const noexcept {
    if (n.first_successor == graph_node::none) return;
    for (const tagged* p = &lists_[n.first_successor];; ++p) {
      f(*node_in(*p));
      if (is_last(*p)) return;
    }
  }
  // Its list of them will be read soon.
  void begin_to_load_successors_of(const graph_node& n) const noexcept {
    if (n.first_successor != graph_node::none) __builtin_prefetch(&lists_[n.first_successor]);
  }
  template <class F>
  void each_successor(const graph_node& n, const F& f) {
    each_own_successor(n, f);
    if (n.is_grown || !extras_.empty())
      for (graph_node* s : extras_of(n)) f(*s);
  }

  // Names a cycle among these nodes, each of which waits for another one of them.
  [[noreturn]] void throw_cycle(const std::vector<graph_node*>& left);

  // Constant during a run.
  block_vector<graph_node*> nodes;
  block_vector<std::uint32_t> predecessors;  // how many each has
  // What running functions added; their numbers follow those of `nodes`. A run appends to it under
  // its lock.
  std::vector<graph_node*> grown;

 private:
  struct edge {
    std::uint32_t before;
    std::uint32_t after;
  };
  // A node; of the last in a list one bit is set.
  using tagged = std::uintptr_t;
  static graph_node* node_in(tagged t) noexcept {
    return reinterpret_cast<graph_node*>(t & ~tagged{1});
  }
  static bool is_last(tagged t) noexcept { return (t & 1) != 0; }

  std::vector<graph_node*> in_order();
  void find_path_costs();
  void destroy_grown() noexcept;

  block_resource blocks_;
  std::pmr::monotonic_buffer_resource places_{&blocks_};
  block_vector<edge> edges_;
  block_vector<tagged> lists_;
  std::vector<std::unique_ptr<node_options>> options_;  // up to the last that isn't default
  std::vector<node_times> times_;                       // of the last run, if it took any
  std::vector<double> ranks_;
  std::vector<double> path_costs_;  // the greatest sum of costs on a path to the end
  std::vector<std::vector<graph_node*>> extras_;
  bool is_arranged_ = true;
  bool is_in_order_ = true;  // all edges go from an earlier node to a later one
  bool is_checked_ = false;  // for cycles
  bool has_path_costs_ = false;
  bool has_grown_ = false;  // or may have
};

}  // namespace heist::inline v0::detail
