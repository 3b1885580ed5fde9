// What is asked of a run under a kernel, and what it came to.
#pragma once

#include <cstdint>
#include <string>

#include "lab/kernel.hpp"
#include "lab/model/run_result.hpp"

namespace heist::lab {

enum class user_scheduler {
  abp,     // work stealing (kernel_engine.hpp)
  greedy,  // Theorem 2: no scheduler that sees only the past can be sure of this
};

class kernel_checker;

struct kernel_settings {
  user_scheduler scheduler = user_scheduler::abp;
  std::string kernel = "dedicated";  // see kernels()
  std::uint32_t processes = 1;
  yield_policy yield = yield_policy::to_all;
  std::uint64_t seed = 1;
  // Steps without an executed instruction after which the run is given up: it would go on for ever.
  std::uint64_t patience = 100'000;
  kernel_checker* checker = nullptr;  // looks at every step, where it isn't null
};

struct kernel_result {
  run_result run;
  bool is_finished = true;  // false: given up

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
