// Looks at every step of a run on a DAG that lies in memory, and throws check_error where something doesn't hold that
// the papers prove. Which of it applies depends on the scheduler and on how strict the DAG is:
//
//   always             a processor executes a ready thread that no other executes; WORK = T1; the dollars add up
//   greedy ones        T <= T1/P + Tinf (Theorem 1; every scheduler here but stealing and plans)
//   busy-leaves, and work stealing where the DAG is fully strict:
//                      each living thread without a living child is being executed; S <= S1 * P (Lemma 2)
//   work stealing, fully strict:
//                      Lemma 4: a deque holds, from bottom to top, the parent of the thread that is executed, that
//                      one's parent and so on; only the topmost may have been executed since it spawned the next
//                      the augmented DAG's longest path is at most 2 Tinf
//                      a critical instruction is that of a thread with at most one above it in its deque
//                      steal attempts in rounds: 3P or more and fewer than 4P in each, 4 steps at least
//                      a delay sequence: a path of the augmented DAG from the first instruction to the last, on which
//                      one is critical as soon as the one before it no longer is, so that groups of rounds, in
//                      which one of them stays critical, with one round at most between two groups, make up all
//                      rounds (Definition 8)
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

  // What the run as a whole must satisfy.
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
  std::vector<std::uint32_t>
      missing_;  // by node: predecessors in the augmented DAG, not executed yet
  std::vector<std::uint64_t> executed_in_;  // by node: the step; 0: not yet
  std::vector<thread_id>
      last_spawned_;  // by thread: its child, if its last executed instruction spawned it
  std::vector<std::uint32_t> runs_on_;  // by thread: the processor, valid if marked for this step
  std::vector<std::uint64_t> runs_in_;  // by thread: the step
  std::vector<thread_id> leaves_;       // living threads without a living child
  std::vector<std::uint32_t> place_of_leaf_;  // by thread, in leaves_; no_id: it is none
  std::vector<std::uint64_t> attempts_;       // after each step, all so far
  std::vector<std::uint64_t> round_ends_;     // steps
  check_report report_;
};

}  // namespace heist::lab
