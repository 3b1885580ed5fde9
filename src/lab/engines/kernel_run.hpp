// The settings and the result of a run under a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/engines/yield_rule.hpp"
#include "lab/model/run_result.hpp"
#include "lab/model/thread_system.hpp"
#include "lab/schedulers/ready_deque.hpp"
#include "lab/schedulers/settings.hpp"

namespace heist::lab {

enum class user_scheduler {
  abp,     // work stealing (kernel_engine.hpp)
  greedy,  // Theorem 2: no scheduler that sees only the past can be sure of this
};

// Sees every step of a run under a kernel. The checks of checks/kernel_checker.hpp are one.
class kernel_observer {
 public:
  virtual ~kernel_observer() = default;

  // A run begins.
  virtual void start(thread_id root) = 0;
  virtual void note_choice(std::uint64_t step, const std::vector<std::uint32_t>& chosen,
                           std::size_t processes) = 0;
  // An instruction of weight w stands for w nodes, one after the other.
  virtual void executed(thread_id thread, std::uint64_t weight, const outcome& did) = 0;
  virtual void end_step(std::uint64_t step, const std::vector<thread_id>& running,
                        const std::vector<ready_deque>& deques) = 0;
};

struct kernel_settings {
  user_scheduler scheduler = user_scheduler::abp;
  std::string kernel = "dedicated";  // a word for make_kernel()
  std::uint32_t processes = 1;
  yield_policy yield = yield_policy::to_all;
  // Of abp: the paper's bound holds for each of these choices.
  spawn_order spawn = spawn_order::child_first;
  enabled_order enabled = enabled_order::queued;
  // Deques with a spinning lock in place of the paper's non-blocking ones: each operation holds it
  // for so many steps of its process, also while that has no processor. 0: there is none.
  std::uint32_t lock_steps = 0;
  std::uint64_t seed = 1;
  // After so many steps without an executed instruction the run is given up, as it would never end.
  std::uint64_t patience = 100'000;
  kernel_observer* observer = nullptr;  // sees every step, where it isn't null
};

struct kernel_result {
  run_result run;
  bool is_finished = true;  // false: given up
  std::uint64_t spins = 0;  // steps in which a process waited for a deque's lock

  // PA: the processors that the kernel gave, on average over the steps.
  [[nodiscard]] double processor_average() const {
    return static_cast<double>(run.scheduled) / static_cast<double>(run.steps);
  }
  // T1/PA + Tinf P/PA
  [[nodiscard]] double bound(std::uint64_t work, std::uint64_t span) const {
    return (static_cast<double>(work) +
            static_cast<double>(span) * static_cast<double>(run.processors)) /
           processor_average();
  }
};

}  // namespace heist::lab
