// One run of a graph: what becomes of a node that runs, no matter who schedules it.
//
// Two ways of scheduling are built on it. stolen_drains.hpp: what is ready lies on the workers'
// deques; for graph_order::any. ranked_drains.hpp: it lies in one heap; for all other orders. Both
// have drainers, which run one node after the other, and both put what finds no place elsewhere
// into `ready_`, which has room for all nodes.
//
// waits_for orders the run: the one that ends a predecessor lowers it (release), the one that finds
// 1 has ended the last one (acquire). If no nodes can be added, nobody raises it, so that one
// needn't write it; and nobody else looks at it if the pool has one worker.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "graph/graph_store.hpp"
#include "heist/detail/earliest_exception.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/detail/waiters.hpp"
#include "heist/task_graph.hpp"
#include "observe/span/strands.hpp"
#include "platform/cpu.hpp"
#include "runtime/notes.hpp"

namespace heist::inline v0::detail {

// How a run is to go.
struct run_rules {
  const graph_options& options;
  stop_poll stop;
  bool can_grow = false;        // running functions may add nodes
  bool has_one_worker = false;  // of which the pool consists
};

class graph_run {
 public:
  graph_run(task_graph& graph, graph_store& store, const run_rules& rules)
      : graph_(graph),
        store_(store),
        rules_(rules),
        take_times_(rules.options.measure),
        is_measured_(strands::measures_here()) {
    ready_.reserve(store.size());
    if (is_measured_) [[unlikely]] {
      strands::put_before(this);
      strands::note_not_in_dag(
          "task graphs: in the DAG their functions are as this run has run them");
    }
  }
  graph_run(const graph_run&) = delete;
  graph_run& operator=(const graph_run&) = delete;

  // To be called by the one that has waited for the end.
  void rethrow() {
    notes::joins(this);
    if (is_measured_) [[unlikely]] {
      strands::begin_step(&report_);
      strands::forget_step(&report_);
      strands::forget_step(this);
    }
    thrown_.rethrow();
  }
  // When it is over.
  [[nodiscard]] const graph_report& report() const noexcept { return report_; }
  [[nodiscard]] bool all_are_over() const noexcept {
    return report_.done + report_.threw + report_.skipped == store_.size();
  }

  // ---- For functions that run.
  void add(graph_node& adder, graph_node& n);
  void edge(std::uint32_t before, std::uint32_t after);
  [[nodiscard]] task_graph& graph() const noexcept { return graph_; }

 protected:
  ~graph_run() = default;

  // Calls the function, or skips it, and counts it.
  void run_one(graph_node& n, graph_report& counts) noexcept {
    if (is_observed_) [[unlikely]]
      run_observed(n, counts);
    else
      run_uncounted(n, counts);
  }
  void run_observed(graph_node& n, graph_report& counts) noexcept {
    if (!is_measured_) {
      // For the race detector. An edge from n that is added while graphs run is there when n ends.
      notes::node_runs(
          this, n.index, [&] { run_uncounted(n, counts); },
          [&](const auto& precedes) {
            store_.each_own_successor(n, [&](const graph_node& s) { precedes(s.index); });
            if (rules_.can_grow)
              for (const graph_node* s : store_.extras_of(n)) precedes(s->index);
          });
      return;
    }
    strands::begin_step(this);
    strands::follow_step(&n);
    strands::forget_step(&n);
    run_uncounted(n, counts);
    strands::put_before(&report_);  // the end of the run
    store_.each_own_successor(n, [](const graph_node& s) { strands::put_before(&s); });
  }
  void run_uncounted(graph_node& n, graph_report& counts) noexcept {
    // Relaxed: ordered by waits_for.
    if (n.is_spoiled.load(std::memory_order_relaxed) || stop_requested()) [[unlikely]] {
      n.state = node_state::skipped;
      ++counts.skipped;
      return;
    }
    store_.each_own_successor(n, [](const graph_node& s) { platform::fetch_to_write(&s); });
    if (take_times_) [[unlikely]]
      store_.times_to_take(n).began_ns = now();
    try {
      n.call(*this);
      n.state = node_state::done;
      ++counts.done;
    } catch (...) {
      n.state = node_state::threw;
      ++counts.threw;
      thrown_.keep(n.index, std::current_exception());
    }
    if (take_times_) [[unlikely]]
      store_.times_to_take(n).ended_ns = now();
  }

  // n has run: calls ready(s) for each node that has become ready by that.
  template <class Ready>
  void finish(graph_node& n, const Ready& ready) noexcept {
    if (rules_.can_grow) [[unlikely]] {
      const holding hold(guard_of(n));
      n.is_over = true;  // from here on nobody adds to its successors
    }
    if (is_measured_) [[unlikely]]
      end_measured(n);
    const bool was_done = n.state == node_state::done;
    const auto lower = [&](graph_node& s) {
      if (!was_done) [[unlikely]]
        s.is_spoiled.store(true, std::memory_order_relaxed);
      if (is_last_predecessor(s)) {
        store_.begin_to_load_successors_of(s);
        ready(s);
      }
    };
    store_.each_own_successor(n, lower);
    if (rules_.can_grow) [[unlikely]]
      for (graph_node* s : store_.extras_of(n)) lower(*s);
  }

  [[nodiscard]] graph_store& contents() noexcept { return store_; }
  [[nodiscard]] const run_rules& rules() const noexcept { return rules_; }

  // ---- Under guard_.
  void put(graph_node& n) noexcept;
  graph_node* take() noexcept;  // nullptr: there is none
  void count(const graph_report& counts) noexcept {
    report_.done += counts.done;
    report_.threw += counts.threw;
    report_.skipped += counts.skipped;
  }

  short_lock guard_;

 private:
  // What n did comes before those of its successors that were added while graphs ran.
  void end_measured(graph_node& n) noexcept {
    if (rules_.can_grow)
      for (const graph_node* s : store_.extras_of(n)) strands::put_before(s);
    strands::end_step();
  }

  static constexpr std::size_t guards = 32;
  [[nodiscard]] short_lock& guard_of(const graph_node& n) noexcept {
    return node_guards_[n.index % guards];
  }

  [[nodiscard]] bool is_last_predecessor(graph_node& s) const noexcept {
    auto& left = s.waits_for;
    if (rules_.can_grow) [[unlikely]]  // an edge may raise it
      return left.fetch_sub(1, std::memory_order_acq_rel) == 1;
    // Acquire: what the others did that s depends on.
    const std::uint32_t seen = left.load(std::memory_order_acquire);
    if (seen == 1) return true;
    if (rules_.has_one_worker) {
      left.store(seen - 1, std::memory_order_relaxed);
      return false;
    }
    // Release: what was done.
    return left.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  [[nodiscard]] bool is_later(const graph_node* a, const graph_node* b) const noexcept {
    const double x = store_.rank_of(*a);
    const double y = store_.rank_of(*b);
    return x != y ? x < y : a->index > b->index;
  }
  [[nodiscard]] bool stop_requested() const noexcept {
    return rules_.options.stop.stop_requested() || rules_.stop.stop_requested();
  }
  [[nodiscard]] std::int64_t now() const noexcept {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count();
  }

  task_graph& graph_;
  graph_store& store_;
  const run_rules& rules_;
  const bool take_times_;
  const bool is_measured_;  // strands.hpp
  const bool is_observed_ = is_measured_ || notes::looks_for_races();
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  earliest_exception thrown_;
  short_lock node_guards_[guards];

  std::vector<graph_node*> ready_;  // guarded by guard_; a heap if there are ranks
  graph_report report_{};           // as ready_
};

}  // namespace heist::inline v0::detail
