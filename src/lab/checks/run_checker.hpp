// Checks every step of a run on a DAG that lies in memory, and throws check_error where a property
// doesn't hold that the papers prove. Which properties apply depends on the scheduler and on how
// strict the DAG is:
//
//   always:
//     - a processor executes a ready thread that no other executes; WORK = T1; the dollars add up
//   greedy schedulers (all here but stealing and plans):
//     - T <= T1/P + Tinf (Theorem 1)
//   busy-leaves, and work stealing where the DAG is fully strict:
//     - each living thread without a living child is being executed; S <= S1 * P (Lemma 2)
//   work stealing where the DAG is fully strict:
//     - Lemma 4: a deque holds, from bottom to top, the parent of the thread that is executed, that
//       thread's parent and so on; only the topmost may have been executed since it spawned the
//       next
//     - the augmented DAG's longest path is at most 2 Tinf
//     - the thread of a critical instruction has at most one thread above it in its deque
//     - steal attempts fall into rounds of at least 3P and fewer than 4P attempts and at least 4
//       steps
//     - a delay sequence exists (Definition 8): a path of the augmented DAG from the first
//       instruction to the last, on which each instruction is critical as soon as the one before it
//       no longer is. The rounds in which one of its instructions stays critical make up a group,
//       and the groups, with one round at most between two, make up all rounds
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/checks/check_report.hpp"
#include "lab/dag/augmented_dag.hpp"
#include "lab/dag/explicit_threads.hpp"
#include "lab/engines/run_settings.hpp"
#include "lab/model/run_result.hpp"
#include "lab/schedulers/ready_deque.hpp"

namespace heist::lab {

class run_checker {
 public:
  run_checker(const explicit_dag& dag, const run_settings& settings);

  void begin_step(std::uint64_t step, const std::vector<thread_id>& running,
                  const explicit_threads& threads);
  void executed(std::uint64_t step, std::uint32_t p, thread_id thread, const outcome& did,
                const explicit_threads& threads);

  template <class Scheduler>
  void end_step(std::uint64_t step, const std::vector<thread_id>& running,
                const explicit_threads& threads, const Scheduler& scheduler) {
    if constexpr (requires { scheduler.deque_of(0); }) {
      if (!has_lemma_4_) return;
      for (std::uint32_t p = 0; p < running.size(); ++p)
        check_deque(step, p, running[p], scheduler.deque_of(p), threads);
      attempts_.push_back(scheduler.attempts_so_far());
    }
  }

  // Checks what must hold for the run as a whole.
  void finish(const run_result& result);

  [[nodiscard]] const check_report& report() const { return report_; }

 private:
  void check_deque(std::uint64_t step, std::uint32_t p, thread_id running, const ready_deque& deque,
                   const explicit_threads& threads) const;
  void mark_executed(node_id v);
  void check_leaves(std::uint64_t step) const;
  void add_leaf(thread_id thread);
  void remove_leaf(thread_id thread);
  void find_rounds(const run_result& result);
  void follow_delay_sequence();

  const explicit_dag* dag_;
  run_settings settings_;
  bool has_greedy_bound_, has_busy_leaves_, has_lemma_4_;
  std::optional<augmented_dag> augmented_;
  // By node: predecessors in the augmented DAG, not executed yet.
  std::vector<std::uint32_t> missing_;
  std::vector<std::uint64_t> executed_in_;  // by node: the step; 0: not yet
  // By thread: its child, if its last executed instruction spawned it.
  std::vector<thread_id> last_spawned_;
  std::vector<std::uint32_t> runs_on_;  // by thread: the processor, valid if runs_in_ is this step
  std::vector<std::uint64_t> runs_in_;  // by thread: the last step in which it ran
  std::vector<thread_id> leaves_;       // living threads without a living child
  std::vector<std::uint32_t> place_of_leaf_;  // by thread: in leaves_; no_id: it is no leaf
  std::vector<std::uint64_t> attempts_;       // by step: all attempts up to its end
  std::vector<std::uint64_t> round_ends_;     // steps
  check_report report_;
};

}  // namespace heist::lab
