// Checks every step of a run under a kernel, and throws check_error where a property doesn't hold
// that Arora, Blumofe and Plaxton (1998) prove:
//
//   always    the kernel gives each process one processor at most; the scheduler executes T1
//             instructions, in Tinf steps at least; every processor given executes, steals or idles
//   abp       the order of a deque (their structural lemma): an instruction is at depth d + 1 if
//             the last one that it waited for is at depth d. In a deque depths fall from the bottom
//             to the top, and the bottom's is not greater than that of the instruction that the
//             process executes. No depth is greater than Tinf
//   greedy    T <= T1/PA + Tinf (P - 1)/PA (Theorem 2)
//   under the kernel lower-bound: T >= Tinf P/PA (Theorem 1)
#pragma once

#include <cstdint>
#include <vector>

#include "lab/engines/kernel_run.hpp"
#include "lab/model/serial.hpp"
#include "lab/model/thread_system.hpp"
#include "lab/schedulers/ready_deque.hpp"

namespace heist::lab {

class kernel_checker final : public kernel_observer {
 public:
  explicit kernel_checker(const measures& measured) : measured_(measured) {}

  void start(thread_id root) override;
  void note_choice(std::uint64_t step, const std::vector<std::uint32_t>& chosen,
                   std::size_t processes) override;
  void executed(thread_id thread, std::uint64_t weight, const outcome& did) override;
  void end_step(std::uint64_t step, const std::vector<thread_id>& running,
                const std::vector<ready_deque>& deques) override;
  void finish(const kernel_settings& settings, const kernel_result& result);

  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] std::uint64_t deepest() const { return deepest_; }  // 0: nobody has deques

 private:
  void set_depth(thread_id thread, std::uint64_t depth);

  measures measured_;
  std::vector<std::uint64_t> depth_;     // by thread: of its next instruction
  std::vector<std::uint64_t> given_in_;  // by process: the step
  std::uint64_t given_ = 0;              // processors, summed over the run's steps
  std::uint64_t runs_ = 0, steps_ = 0, deepest_ = 0;
};

}  // namespace heist::lab
