// A multithreaded computation as a DAG that lies in memory: the model of Blumofe and Leiserson
// (Scheduling multithreaded computations by work stealing, 1999, section 2).
//
// Nodes are instructions that take one unit of time, or as many as the source says. A thread is a
// chain of instructions, joined by *continue* edges that a source doesn't list; *spawn* edges go
// from an instruction to a thread's first one; *join* edges are all other dependencies. A thread
// has an activation frame from its spawn to its last instruction.
//
// What holds for every explicit_dag, or its constructor throws dag_error:
//   - thread 0 is the root; each other thread is spawned once; the spawns make a tree;
//   - no cycle;
//   - an instruction has at most two edges out, the continue edge included;
//   - the root's last instruction is the only one without an edge out, its first the only one
//     without an edge in (Arora, Blumofe, Plaxton 1998: one root, one final node);
//   - no join edge enters a thread's first instruction, or the instruction right after a spawn:
//     neither a child nor its parent stalls at once;
//   - no join edge stays in its thread, and no two edges join the same two instructions.
// kind() tells how strict the DAG is; see enum strictness.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <heist/error.hpp>

#include "lab/model/ids.hpp"

namespace heist::lab {

// What a DAG is made from. Instructions count from 0 in their thread.
struct dag_source {
  struct place {
    thread_id thread = 0;
    std::uint32_t instruction = 0;
  };
  struct thread {
    std::string name;                // "G2"; where empty: G and the thread's number from 1
    std::uint32_t length = 0;        // instructions
    std::uint64_t frame = 1;         // size of its activation frame
    std::vector<std::string> names;  // of its instructions: all or none
    std::uint32_t priority = 0;      // the scheduler `priority` takes the largest first
    // Of its instructions: all or none. The units that each takes; the region in which it is.
    std::vector<std::uint64_t> weights{};
    std::vector<std::uint32_t> regions{};
  };
  struct spawn {
    place from;
    thread_id child = 0;
  };
  struct join {
    place from, to;
  };

  std::string name;
  bool is_in_ns = false;             // a unit is a nanosecond
  std::vector<std::string> regions;  // their names
  std::vector<thread> threads;
  std::vector<spawn> spawns;
  std::vector<join> joins;
};

// Says why a source is no DAG of the model. what() names the threads and instructions; where() and
// index() say which entry of the source is at fault, so that a reader of files can tell the place
// in the file.
class dag_error : public usage_error {
 public:
  enum class part { whole, thread, spawn, join };

  dag_error(part which, std::size_t index, const std::string& message)
      : usage_error(message), part_(which), index_(index) {}

  [[nodiscard]] part where() const { return part_; }
  [[nodiscard]] std::size_t index() const { return index_; }

 private:
  part part_;
  std::size_t index_;
};

enum class edge_kind : std::uint8_t { proceed, spawn, join };  // proceed: the continue edge

enum class strictness {
  general,       // anything else; kinds go from the weakest to the strictest
  strict,        // joins go to ancestors, and each thread's last instruction has one to its parent
  fully_strict,  // joins go to parents, and each thread's last instruction has one
};

[[nodiscard]] std::string_view to_string(strictness kind);

class explicit_dag {
 public:
  static constexpr std::uint64_t max_nodes = 1U << 22U;     // 100 MB
  static constexpr std::uint64_t max_frame = 1ULL << 32U;   // so that no sum of frames overflows
  static constexpr std::uint64_t max_weight = 1ULL << 40U;  // nor one of weights
  static constexpr std::size_t max_regions = 1U << 16U;

  struct edge {
    node_id to;
    edge_kind kind;
  };

  // Throws dag_error.
  explicit explicit_dag(dag_source source);

  [[nodiscard]] const std::string& name() const { return name_; }

  // --- threads: the root has number 0, the others have numbers in any order ---
  [[nodiscard]] std::uint32_t thread_count() const {
    return static_cast<std::uint32_t>(threads_.size());
  }
  [[nodiscard]] node_id first(thread_id t) const { return threads_[t].first; }
  [[nodiscard]] node_id last(thread_id t) const {
    return threads_[t].first + threads_[t].length - 1;
  }
  [[nodiscard]] std::uint32_t length(thread_id t) const { return threads_[t].length; }
  [[nodiscard]] std::uint64_t frame(thread_id t) const { return threads_[t].frame; }
  [[nodiscard]] std::uint32_t priority(thread_id t) const { return threads_[t].priority; }
  [[nodiscard]] thread_id parent(thread_id t) const { return threads_[t].parent; }    // root: no_id
  [[nodiscard]] node_id spawner(thread_id t) const { return threads_[t].spawner; }    // root: no_id
  [[nodiscard]] std::uint32_t depth(thread_id t) const { return threads_[t].depth; }  // root: 0
  // The frames from t up to the root, both included.
  [[nodiscard]] std::uint64_t stack_depth(thread_id t) const { return threads_[t].stack_depth; }
  [[nodiscard]] std::string thread_name(thread_id t) const;
  // A thread is its own ancestor.
  [[nodiscard]] bool is_ancestor(thread_id older, thread_id younger) const;

  // --- nodes: the first thread's instructions, then the second's, and so on ---
  [[nodiscard]] std::uint32_t node_count() const {
    return static_cast<std::uint32_t>(thread_of_.size());
  }
  [[nodiscard]] thread_id thread_of(node_id v) const { return thread_of_[v]; }
  [[nodiscard]] bool is_last(node_id v) const { return v == last(thread_of_[v]); }
  [[nodiscard]] std::string node_name(node_id v) const;  // "G2.3" where t has no names
  [[nodiscard]] bool has_names(thread_id t) const {      // for its instructions
    return t < node_names_.size() && !node_names_[t].empty();
  }
  [[nodiscard]] thread_id spawned_by(node_id v) const { return spawned_[v]; }  // none: no_id
  // Targets of v's join edges: at most two.
  [[nodiscard]] std::span<const node_id> joins_from(node_id v) const {
    return {joins_.data() + join_begin_[v], joins_.data() + join_begin_[v + 1]};
  }
  [[nodiscard]] std::uint32_t in_degree(node_id v) const { return in_degree_[v]; }
  // Calls f(edge) for each edge out of v: continue, spawn, joins.
  template <class Function>
  void each_edge(node_id v, Function f) const {
    if (!is_last(v)) f(edge{v + 1, edge_kind::proceed});
    if (spawned_[v] != no_id) f(edge{first(spawned_[v]), edge_kind::spawn});
    for (const node_id to : joins_from(v)) f(edge{to, edge_kind::join});
  }
  // The length in units of the longest path that begins at v.
  [[nodiscard]] std::uint64_t height(node_id v) const { return height_[v]; }
  // How many units it takes.
  [[nodiscard]] std::uint64_t weight(node_id v) const { return weights_.empty() ? 1 : weights_[v]; }
  [[nodiscard]] bool has_weights() const { return !weights_.empty(); }
  [[nodiscard]] bool is_in_ns() const { return is_in_ns_; }
  // The regions' names, and the number of v's; without regions empty, and 0.
  [[nodiscard]] const std::vector<std::string>& regions() const { return region_names_; }
  [[nodiscard]] std::uint32_t region(node_id v) const { return regions_.empty() ? 0 : regions_[v]; }
  // Lets what is in that region take `factor` times as long: "parse", or a region in it, as
  // "parse/numbers". Throws usage_error where there is none, or the weights grow too large.
  void scale(std::string_view region, double factor);

  // --- measures ---
  [[nodiscard]] std::uint64_t work() const { return work_; }                    // T1
  [[nodiscard]] std::uint64_t span() const { return height_[first(0)]; }        // Tinf
  [[nodiscard]] std::uint64_t stack_depth() const { return stack_depth_; }      // S1
  [[nodiscard]] std::uint64_t largest_frame() const { return largest_frame_; }  // Smax
  [[nodiscard]] std::uint32_t most_joins() const {
    return most_joins_;
  }  // nd: a thread's with its parent
  [[nodiscard]] strictness kind() const { return kind_; }
  // Names the join or the thread that keeps the DAG from being strict or fully strict; "" where it
  // is.
  [[nodiscard]] const std::string& why_not_strict() const { return why_not_strict_; }
  [[nodiscard]] const std::string& why_not_fully_strict() const { return why_not_fully_strict_; }

  // The nodes of one longest path, in order.
  [[nodiscard]] std::vector<node_id> critical_path() const;

 private:
  struct thread {
    node_id first;
    std::uint32_t length;
    std::uint64_t frame;
    std::uint32_t priority;
    thread_id parent = no_id;
    node_id spawner = no_id;
    std::uint32_t depth = 0;
    // In a walk of the spawn tree: an ancestor's hold a descendant's.
    std::uint32_t enter = 0, leave = 0;
    std::uint64_t stack_depth = 0;
  };

  void add_threads(dag_source& source);
  void add_spawns(const dag_source& source);
  void add_joins(const dag_source& source);
  void build_tree();
  void check_ends() const;
  void measure_paths(const dag_source& source);
  void measure_heights();
  void add_weights(dag_source& source, std::size_t t);
  [[noreturn]] void refuse_cycle(const dag_source& source,
                                 const std::vector<std::uint32_t>& waits) const;
  void classify(const dag_source& source);
  [[nodiscard]] node_id node_at(const dag_source::place& place, dag_error::part part,
                                std::size_t index) const;
  [[nodiscard]] std::string describe(node_id v) const;  // "v5 of thread G3"

  std::string name_;
  std::vector<thread> threads_;
  std::vector<std::string> thread_names_;             // empty where all have the default
  std::vector<std::vector<std::string>> node_names_;  // by thread; empty as above
  std::vector<thread_id> thread_of_;
  std::vector<thread_id> spawned_;
  std::vector<std::uint32_t> join_begin_;  // node_count() + 1 places in joins_
  std::vector<node_id> joins_;
  std::vector<std::uint32_t> in_degree_;
  std::vector<std::uint64_t> height_;
  std::vector<node_id> order_;          // a topological one
  std::vector<std::uint64_t> weights_;  // by node; empty where all are 1
  std::vector<std::uint32_t> regions_;  // likewise; empty where there are none
  std::vector<std::string> region_names_;
  bool is_in_ns_ = false;
  std::uint64_t work_ = 0;
  std::uint64_t stack_depth_ = 0, largest_frame_ = 0;
  std::uint32_t most_joins_ = 0;
  strictness kind_ = strictness::fully_strict;
  std::string why_not_strict_, why_not_fully_strict_;
};

}  // namespace heist::lab
