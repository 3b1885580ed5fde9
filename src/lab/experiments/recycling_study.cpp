#include "lab/experiments/recycling_study.hpp"

#include <algorithm>

namespace heist::lab {

namespace {

constexpr std::uint64_t games_between_steps = 16;

}  // namespace

std::uint64_t recycling_row::above_bound(const recycling_setup& setup, double eps) const {
  const double bound = delay_bound(setup.processors, setup.tosses, eps);
  return static_cast<std::uint64_t>(delays.end() -
                                    std::upper_bound(delays.begin(), delays.end(), bound));
}

double recycling_row::tail(double eps) const { return report::quantile(delays, 1 - eps); }

double recycling_row::constant(const recycling_setup& setup, double eps) const {
  return tail(eps) / delay_scale(setup.processors, setup.tosses, eps);
}

recycling_row study_adversary(const recycling_setup& setup, adversary who,
                              const std::function<void(std::uint64_t)>& step) {
  recycling_row row;
  row.who = who;
  // The rule is searched with other random numbers than it is measured with, or it would fit those
  // by chance.
  if (who == adversary::searched) row.rule = search_adversary(setup.processors, ~setup.seed);
  row.delays.reserve(setup.games);
  double steps = 0;
  for (std::uint64_t game = 0; game < setup.games; ++game) {
    const auto result =
        play_recycling_game(setup.processors, setup.tosses, who, row.rule, rng(setup.seed, game));
    row.delays.push_back(static_cast<double>(result.delay));
    steps += static_cast<double>(result.steps);
    row.longest_queue = std::max(row.longest_queue, result.longest_queue);
    if (step && (game + 1) % games_between_steps == 0) step(game + 1);
  }
  std::sort(row.delays.begin(), row.delays.end());
  row.of_delays = report::summarize(row.delays);
  row.of_mean = report::mean_interval(row.of_delays);
  row.mean_steps = steps / static_cast<double>(setup.games);
  return row;
}

}  // namespace heist::lab
