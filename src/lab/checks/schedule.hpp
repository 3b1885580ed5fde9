// A run of a small DAG, step by step, as the table of Blumofe and Leiserson's Figure 2: what each
// processor executes, and the living threads that nobody runs; where processors have deques, in
// these, with the instruction that each would execute next (their Figures 3 and 5).
#pragma once

#include <cstdint>
#include <vector>

#include "lab/dag/explicit_dag.hpp"
#include "lab/dag/explicit_threads.hpp"
#include "lab/model/thread_system.hpp"
#include "report/table.hpp"

namespace heist::lab {

struct schedule_step {
  std::vector<node_id> executed;  // by processor; no_id: idle
  // The living threads that nobody runs at the beginning of the step, after idle processors took
  // some, in the order of their numbers.
  std::vector<thread_id> ready, stalled;
  // By processor, the next instructions of the threads in its deque, from the top, where thieves
  // take them; empty: the scheduler has no deques.
  std::vector<std::vector<node_id>> deques;
};

using schedule = std::vector<schedule_step>;

// Stalled threads of the pool are put in parentheses.
[[nodiscard]] report::table to_table(const schedule& steps, const explicit_dag& dag);

// The life of each sync that costs something, event by event: of a thread that was stolen while
// children of it lived. The thief makes its descriptor, which counts the children that have begun
// and not ended; the processor that makes it 0 goes on with the thread if that has stalled. A sync
// of a thread that nobody steals has none (CS149, lecture 5).
[[nodiscard]] report::table syncs_of(const schedule& steps, const explicit_dag& dag);

// The observer that writes a schedule down.
class schedule_recorder {
 public:
  explicit schedule_recorder(schedule& steps) : steps_(&steps) {}

  void begin_step(std::uint64_t step, const std::vector<thread_id>& running,
                  const explicit_threads& threads);
  void executed(std::uint64_t, std::uint32_t, thread_id, const outcome&, const explicit_threads&) {}
  // The deques of this moment are those at the beginning of the next step.
  template <class Scheduler>
  void end_step(std::uint64_t, const std::vector<thread_id>& running,
                const explicit_threads& threads, const Scheduler& scheduler) {
    if constexpr (requires { scheduler.deque_of(0); }) {
      deques_.assign(running.size(), {});
      for (std::uint32_t p = 0; p < running.size(); ++p) {
        const auto& deque = scheduler.deque_of(p);
        for (std::size_t i = 0; i < deque.size(); ++i) deques_[p].push_back(threads.next(deque[i]));
      }
    }
  }

 private:
  schedule* steps_;
  std::vector<std::vector<node_id>> deques_;
};

}  // namespace heist::lab
