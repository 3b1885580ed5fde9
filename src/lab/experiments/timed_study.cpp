#include "lab/experiments/timed_study.hpp"

#include <algorithm>
#include <vector>

namespace heist::lab {

timed_row run_timed_row(computation& computation, timed_settings settings, std::uint64_t seeds,
                        const std::function<void(std::uint64_t)>& announce) {
  if (settings.processors == 1) seeds = 1;
  timed_row row;
  row.processors = settings.processors;
  std::vector<double> seconds, work, overhead, asleep, forks, steals, attempts, suspensions, wakes;
  for (std::uint64_t i = 0; i < seeds; ++i, ++settings.seed) {
    announce(i + 1);
    const auto result = computation.run_timed(settings);
    const double all = std::max(1.0, static_cast<double>(result.time_ps) * settings.processors);
    seconds.push_back(result.seconds());
    work.push_back(static_cast<double>(result.work_ps) / all);
    overhead.push_back(static_cast<double>(result.overhead_ps) / all);
    asleep.push_back(static_cast<double>(result.asleep_ps) / all);
    forks.push_back(static_cast<double>(result.forks));
    steals.push_back(static_cast<double>(result.steals));
    attempts.push_back(static_cast<double>(result.attempts));
    suspensions.push_back(static_cast<double>(result.suspensions));
    wakes.push_back(static_cast<double>(result.wakes));
    row.peak_space = std::max(row.peak_space, result.peak_space);
  }
  row.seconds = report::summarize(seconds);
  row.work_share = report::summarize(work);
  row.overhead_share = report::summarize(overhead);
  row.asleep_share = report::summarize(asleep);
  row.forks = report::summarize(forks);
  row.steals = report::summarize(steals);
  row.attempts = report::summarize(attempts);
  row.suspensions = report::summarize(suspensions);
  row.wakes = report::summarize(wakes);
  return row;
}

}  // namespace heist::lab
