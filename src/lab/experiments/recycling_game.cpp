#include "lab/experiments/recycling_game.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::lab {

namespace {

std::uint64_t by_rule(const adversary_rule& rule, const game_view& view) {
  const std::uint64_t part = view.in_bins * adversary_rule::parts / view.processors;
  const std::uint64_t wanted = (view.reservoir * rule.eighths[part] + 7) / 8;
  return view.in_bins == 0 ? std::max<std::uint64_t>(wanted, 1) : wanted;
}

// Returns how many balls to toss; a number greater than the reservoir means all of them.
std::uint64_t choose(adversary who, const adversary_rule& rule, const game_view& view,
                     rng& random) {
  switch (who) {
    case adversary::eager:
      return view.reservoir;
    case adversary::hoarding:
      return view.in_bins == 0 ? view.reservoir : 0;
    case adversary::one_bin:
      return view.bins_in_use <= 1 ? view.reservoir : 0;
    case adversary::random:
      return random.between(0, view.reservoir);
    case adversary::searched:
      break;
  }
  return by_rule(rule, view);
}

// The mean delay of a toss over a few games. The search plays the same games with every rule.
double mean_delay(std::uint64_t processors, const adversary_rule& rule, std::uint64_t seed) {
  constexpr std::uint64_t games = 4;
  const std::uint64_t tosses = std::max<std::uint64_t>(20 * processors, 4000);
  std::uint64_t sum = 0;
  for (std::uint64_t game = 0; game < games; ++game)
    sum +=
        play_recycling_game(processors, tosses, adversary::searched, rule, rng(seed, game)).delay;
  return static_cast<double>(sum) / static_cast<double>(games * tosses);
}

}  // namespace

std::string_view to_string(adversary which) {
  switch (which) {
    case adversary::eager:
      return "eager";
    case adversary::hoarding:
      return "hoarding";
    case adversary::one_bin:
      return "one-bin";
    case adversary::random:
      return "random";
    case adversary::searched:
      break;
  }
  return "searched";
}

game_result play_recycling_game(std::uint64_t processors, std::uint64_t tosses, adversary who,
                                const adversary_rule& rule, rng random) {
  if (processors == 0 || processors > max_balls)
    throw usage_error(fmt::format("P is from 1 to {}, not {}", max_balls, processors));
  if (tosses == 0 || tosses > max_tosses)
    throw usage_error(fmt::format("M is from 1 to {}, not {}", max_tosses, tosses));
  game_result result;
  std::vector<std::uint32_t> balls(processors, 0);  // by bin
  std::vector<std::uint32_t> in_use;                // bins that hold any
  in_use.reserve(processors);
  game_view view{processors, processors, 0, 0, tosses};
  while (view.tosses_left > 0 || view.in_bins > 0) {
    const std::uint64_t tossed =
        std::min({choose(who, rule, view, random), view.reservoir, view.tosses_left});
    for (std::uint64_t i = 0; i < tossed; ++i) {
      const auto bin = static_cast<std::uint32_t>(random.below(processors));
      if (balls[bin]++ == 0) in_use.push_back(bin);
      result.longest_queue = std::max<std::uint64_t>(result.longest_queue, balls[bin]);
    }
    view.tosses_left -= tossed;
    const std::uint64_t returned = in_use.size();
    view.in_bins = view.in_bins + tossed - returned;
    view.reservoir = processors - view.in_bins;
    std::erase_if(in_use, [&](std::uint32_t bin) { return --balls[bin] == 0; });
    view.bins_in_use = in_use.size();
    result.delay += view.in_bins;
    ++result.steps;
  }
  return result;
}

adversary_rule search_adversary(std::uint64_t processors, std::uint64_t seed) {
  constexpr int most_rounds = 6;
  rng random(seed, UINT64_MAX);
  adversary_rule best;
  for (auto& part : best.eighths) part = static_cast<std::uint8_t>(random.below(9));
  double best_delay = mean_delay(processors, best, seed);
  for (int round = 0; round < most_rounds; ++round) {
    bool better = false;
    for (std::size_t part = 0; part < best.eighths.size(); ++part)
      for (const int eighths : {0, 1, 4, 7, 8}) {
        auto tried = best;
        tried.eighths[part] = static_cast<std::uint8_t>(eighths);
        if (tried.eighths == best.eighths) continue;
        const double delay = mean_delay(processors, tried, seed);
        if (delay <= best_delay) continue;
        best = tried;
        best_delay = delay;
        better = true;
      }
    if (!better) break;
  }
  return best;
}

double delay_scale(std::uint64_t processors, std::uint64_t tosses, double eps) {
  const auto p = static_cast<double>(processors);
  return static_cast<double>(tosses) + p * std::log2(p) + p * std::log2(1 / eps);
}

double delay_bound(std::uint64_t processors, std::uint64_t tosses, double eps) {
  const auto m = static_cast<double>(tosses);
  return delay_scale(processors, tosses, eps) - m + 2 * std::numbers::e * m;
}

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
