// The threads of a DAG that lies in memory, as a thread system. A thread has the same id as in the
// DAG.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/dag/explicit_dag.hpp"
#include "lab/model/thread_system.hpp"

namespace heist::lab {

class explicit_threads {
 public:
  // The DAG must outlive it.
  explicit explicit_threads(const explicit_dag& dag) : dag_(&dag) {}

  [[nodiscard]] const explicit_dag& dag() const { return *dag_; }

  thread_id start();
  outcome execute(thread_id id);

  [[nodiscard]] std::uint64_t weight(thread_id id) const { return dag_->weight(next_[id]); }
  // The length of the longest path that begins at the thread's next instruction, which is what
  // critical-path scheduling orders threads by.
  [[nodiscard]] std::uint64_t hint(thread_id id) const { return dag_->height(next_[id]); }
  [[nodiscard]] std::uint64_t priority(thread_id id) const { return dag_->priority(id); }
  [[nodiscard]] place_among place(thread_id) const { return {}; }
  [[nodiscard]] thread_id parent(thread_id id) const { return dag_->parent(id); }
  [[nodiscard]] std::uint32_t living_children(thread_id id) const { return children_[id]; }
  [[nodiscard]] std::uint64_t living() const { return living_; }
  [[nodiscard]] std::uint64_t space() const { return space_; }

  [[gnu::always_inline]] void fetch(thread_id id) const { __builtin_prefetch(&next_[id]); }

  // The next instruction of a living thread; of a dead one, the node past its last.
  [[nodiscard]] node_id next(thread_id id) const { return next_[id]; }
  [[nodiscard]] bool is_alive(thread_id id) const { return alive_[id]; }
  [[nodiscard]] bool is_ready(thread_id id) const { return alive_[id] && missing_[next_[id]] == 0; }
  [[nodiscard]] bool is_executed(node_id v) const {
    return dag_->first(dag_->thread_of(v)) <= v && v < next_[dag_->thread_of(v)];
  }

 private:
  void begin(thread_id id);

  const explicit_dag* dag_;
  // By thread; before its spawn: the first, after its death: past the last.
  std::vector<node_id> next_;
  std::vector<bool> alive_;
  std::vector<std::uint32_t> children_;  // by thread: the living ones
  std::vector<std::uint32_t> missing_;   // by node: predecessors that have not been executed
  std::uint64_t living_ = 0, space_ = 0;
};

}  // namespace heist::lab
