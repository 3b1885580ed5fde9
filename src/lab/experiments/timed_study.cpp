#include "lab/experiments/timed_study.hpp"

#include <algorithm>

namespace heist::lab {

timed_row run_timed_row(computation& computation, timed_settings settings, std::uint64_t seeds,
                        const std::function<void(std::uint64_t)>& announce) {
  if (settings.processors == 1) seeds = 1;
  timed_row row;
  row.processors = settings.processors;
  for (std::uint64_t i = 0; i < seeds; ++i, ++settings.seed) {
    announce(i + 1);
    const auto result = computation.run_timed(settings);
    const double all = std::max(1.0, static_cast<double>(result.time_ps) * settings.processors);
    row.seconds.add(result.seconds());
    row.work_share.add(static_cast<double>(result.work_ps) / all);
    row.overhead_share.add(static_cast<double>(result.overhead_ps) / all);
    row.asleep_share.add(static_cast<double>(result.asleep_ps) / all);
    row.forks.add(static_cast<double>(result.forks));
    row.steals.add(static_cast<double>(result.steals));
    row.attempts.add(static_cast<double>(result.attempts));
    row.suspensions.add(static_cast<double>(result.suspensions));
    row.wakes.add(static_cast<double>(result.wakes));
    row.peak_space = std::max(row.peak_space, result.peak_space);
  }
  return row;
}

}  // namespace heist::lab
