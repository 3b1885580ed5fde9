// The (P, M)-recycling game of Blumofe and Leiserson (1999, section 5): what steal requests that
// queue up at their victims cost, when an adversary decides how many are made and when.
//
// P balls and P bins; all balls begin in a reservoir. In each step the adversary takes as many
// balls out of the reservoir as it likes, each goes to a bin chosen uniformly at random, and then
// one ball of each bin that holds any returns to the reservoir. The game ends after M tosses, when
// all balls are back. The delay D is the sum, over the steps, of the balls that are in bins at the
// step's end. Lemma 6: E[D] <= M, and with probability 1 - eps D is at most M + P lg P + P
// lg(1/eps), up to a constant.
//
// Which of a bin's balls returns doesn't matter for D, nor which ball is tossed: so only counts are
// kept, and an adversary is a rule for how many.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "lab/model/random.hpp"
#include "report/statistics.hpp"

namespace heist::lab {

// What an adversary sees before it tosses. It may know all about the past, but not where balls will
// fall.
struct game_view {
  std::uint64_t processors = 0;  // P
  std::uint64_t reservoir = 0;   // balls in it
  std::uint64_t in_bins = 0;
  std::uint64_t bins_in_use = 0;  // that hold any
  std::uint64_t tosses_left = 0;
};

enum class adversary {
  eager,     // tosses all that it has, in every step
  hoarding,  // waits for all balls to be back, and tosses all
  one_bin,   // waits until at most one bin holds any, and tosses all
  random,    // tosses any number, each as likely
  searched,  // a rule found by search_adversary()
};
inline constexpr std::array all_adversaries = {adversary::eager, adversary::hoarding,
                                               adversary::one_bin, adversary::random,
                                               adversary::searched};
[[nodiscard]] std::string_view to_string(adversary which);

// A rule in eighths: with a share of i/8 to (i+1)/8 of the balls in bins, toss this many eighths of
// the reservoir. With empty bins at least one ball is tossed, so that the game goes on.
struct adversary_rule {
  static constexpr unsigned parts = 8;
  std::array<std::uint8_t, parts + 1> eighths{};
};

struct game_result {
  std::uint64_t delay = 0;  // D
  std::uint64_t steps = 0;
  std::uint64_t longest_queue = 0;  // most balls that a bin held
};

inline constexpr std::uint64_t max_balls = 1U << 20U;
inline constexpr std::uint64_t max_tosses = 1ULL << 36U;

// Plays one game, in time about M + D. `rule` is used by adversary::searched only. Throws
// usage_error for P or M out of range: from 1 to the limits above.
[[nodiscard]] game_result play_recycling_game(std::uint64_t processors, std::uint64_t tosses,
                                              adversary who, const adversary_rule& rule,
                                              rng random);

// Looks for a rule with a great delay: changes one of its parts at a time, and keeps what was worse
// for the scheduler in games of some thousand tosses. The same seed finds the same rule.
[[nodiscard]] adversary_rule search_adversary(std::uint64_t processors, std::uint64_t seed);

// What the proof of Lemma 6 gives with probability 1 - eps, constants included: 2eM + P lg P + P
// lg(1/eps).
[[nodiscard]] double delay_bound(std::uint64_t processors, std::uint64_t tosses, double eps);
// Without constants, M + P lg P + P lg(1/eps): the measured quantile over this is the constant that
// fits.
[[nodiscard]] double delay_scale(std::uint64_t processors, std::uint64_t tosses, double eps);

// ---- Many games: the distribution of their delays beside Lemma 6.

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
