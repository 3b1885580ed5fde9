// Work stealing with costs over several seeds: the row that heist sim --costs prints, and that forecasts are made from.
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
  std::uint64_t peak_space = 0;  // of all seeds

  // Over a serial run, which has neither forks nor anything else but instructions.
  [[nodiscard]] double speedup(const measures& measured, const cost_model& costs) const {
    return static_cast<double>(measured.work) * costs.instruction_ns * 1e-9 / seconds.mean;
  }
};

// That many seeds, from that of the settings on; only one where there is one processor, and no chance. `announce` is
// told the number of each.
[[nodiscard]] timed_row run_timed_row(computation& computation, timed_settings settings,
                                      std::uint64_t seeds,
                                      const std::function<void(std::uint64_t)>& announce);

}  // namespace heist::lab
