// Work stealing with costs over several seeds: the row that heist sim --costs prints, and that
// forecasts are made from.
#pragma once

#include <cstdint>
#include <functional>

#include "lab/catalog/computation.hpp"
#include "report/statistics.hpp"

namespace heist::lab {

struct timed_row {
  std::uint32_t processors = 0;
  report::summary seconds, work_share, overhead_share, asleep_share;  // shares of P T
  report::summary forks, steals, attempts, suspensions, wakes;
  std::uint64_t peak_space = 0;  // the largest of all seeds

  // The speedup over a serial run, which consists of instructions only and has no forks.
  [[nodiscard]] double speedup(const measures& measured, const cost_model& costs) const {
    return static_cast<double>(measured.work) * costs.instruction_ns * 1e-9 / seconds.mean;
  }
};

// Runs with `seeds` seeds, beginning with that of the settings; with one only where there is one
// processor, as nothing is random then. Calls announce() with the number of each run.
[[nodiscard]] timed_row run_timed_row(computation& computation, timed_settings settings,
                                      std::uint64_t seeds,
                                      const std::function<void(std::uint64_t)>& announce);

}  // namespace heist::lab
