// Many recycling games: the distribution of their delays beside Lemma 6.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lab/experiments/recycling_game.hpp"
#include "report/statistics.hpp"

namespace heist::lab {

struct recycling_setup {
  std::uint64_t processors = 64;
  std::uint64_t tosses = 100'000;
  std::uint64_t games = 1000;  // seeds
  std::uint64_t seed = 1;      // game i of an adversary is made from (seed, i)
};

struct recycling_row {
  adversary who{};
  adversary_rule rule;         // the rule of adversary::searched
  std::vector<double> delays;  // D of each game, sorted
  report::summary of_delays;
  report::interval of_mean;  // 95 %
  double mean_steps = 0;
  std::uint64_t longest_queue = 0;

  // Games with D above the bound that Lemma 6's proof gives with probability 1 - eps.
  [[nodiscard]] std::uint64_t above_bound(const recycling_setup& setup, double eps) const;
  // The delay that a share 1 - eps of the games stays below; over M + P lg P + P lg(1/eps).
  [[nodiscard]] double tail(double eps) const;
  [[nodiscard]] double constant(const recycling_setup& setup, double eps) const;
};

inline constexpr double tail_probabilities[] = {0.1, 0.01};  // the eps that reports show

// Calls step() with the number of games played now and then. Throws usage_error as
// play_recycling_game() does.
[[nodiscard]] recycling_row study_adversary(const recycling_setup& setup, adversary who,
                                            const std::function<void(std::uint64_t)>& step = {});

}  // namespace heist::lab
