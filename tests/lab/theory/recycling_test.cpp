// The recycling game: expectations that can be worked out, and Lemma 6 for every adversary.
#include "lab/experiments/recycling_game.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <heist/error.hpp>

namespace {

using heist::lab::adversary;
using heist::lab::adversary_rule;
using heist::lab::all_adversaries;
using heist::lab::delay_bound;
using heist::lab::delay_scale;
using heist::lab::play_recycling_game;
using heist::lab::recycling_setup;
using heist::lab::rng;
using heist::lab::search_adversary;
using heist::lab::study_adversary;

TEST(RecyclingGame, WithOneBallNothingWaits) {
  for (const auto who : all_adversaries) {
    const auto result = play_recycling_game(1, 100, who, {}, rng(1));
    EXPECT_EQ(result.delay, 0U);
    EXPECT_EQ(result.longest_queue, 1U);
    if (who != adversary::random) {
      EXPECT_EQ(result.steps, 100U);
    }
  }
}

TEST(RecyclingGame, TheSameSeedGivesTheSameGame) {
  for (const auto who : all_adversaries) {
    const auto a = play_recycling_game(8, 1000, who, {}, rng(5));
    const auto b = play_recycling_game(8, 1000, who, {}, rng(5));
    EXPECT_EQ(a.delay, b.delay);
    EXPECT_EQ(a.steps, b.steps);
  }
}

// A batch of P balls in empty bins: a bin of n keeps n - 1, n - 2 ... after each step, n(n-1)/2 in
// all, which is the number of pairs that fell together. So the hoarding adversary gets P(P-1)/2 *
// 1/P a batch.
TEST(RecyclingGame, HoardingHasTheExpectationOfPairsInABatch) {
  for (const std::uint64_t processors : {2U, 3U, 16U, 64U}) {
    const std::uint64_t batches = 200;
    const recycling_setup setup{processors, batches * processors, 400, 3};
    const auto row = study_adversary(setup, adversary::hoarding);
    const double expected = static_cast<double>(batches * (processors - 1)) / 2;
    const double off = row.of_delays.mean - expected;
    EXPECT_LT(std::abs(off), 4 * row.of_delays.standard_error()) << processors;
  }
}

// With two balls the eager adversary plays a Markov chain of two states that can be solved by hand:
// from both balls in the reservoir (A) they fall together half the time, and one stays (B), D grows
// by 1; from B the one ball tossed meets the other half the time, and B follows again. So half the
// steps from either state end in B, a step from A takes two tosses and one from B takes one: 0.5 /
// 1.5 of a delay for a toss.
TEST(RecyclingGame, EagerWithTwoBallsHasTheChainsExpectation) {
  const recycling_setup setup{2, 30'000, 200, 7};
  const auto row = study_adversary(setup, adversary::eager);
  EXPECT_LT(std::abs(row.of_delays.mean - 10'000), 4 * row.of_delays.standard_error());
}

TEST(RecyclingGame, Lemma6HoldsForEveryAdversary) {
  for (const std::uint64_t processors : {2U, 7U, 64U})
    for (const auto who : all_adversaries) {
      const recycling_setup setup{processors, 5000, 200, 11};
      const auto row = study_adversary(setup, who);
      EXPECT_LE(row.of_mean.high, 5000) << to_string(who) << processors;
      for (const double eps : {0.1, 0.01}) EXPECT_EQ(row.above_bound(setup, eps), 0U);
    }
}

// Fewer tosses than balls, and every other small size: the game ends, after its tosses.
TEST(RecyclingGame, SmallGamesEnd) {
  for (std::uint64_t processors = 1; processors <= 9; ++processors)
    for (std::uint64_t tosses = 1; tosses <= 20; ++tosses)
      for (const auto who : all_adversaries) {
        const auto result = play_recycling_game(processors, tosses, who, {}, rng(tosses));
        EXPECT_GE(result.steps * processors, tosses);
        EXPECT_LE(result.delay, tosses * processors);
      }
}

// A rule of eight eighths everywhere is the eager adversary.
TEST(RecyclingGame, ARuleCanBeEager) {
  adversary_rule all;
  all.eighths.fill(adversary_rule::parts);
  EXPECT_EQ(play_recycling_game(16, 5000, adversary::searched, all, rng(2)).delay,
            play_recycling_game(16, 5000, adversary::eager, {}, rng(2)).delay);
}

TEST(SearchAdversary, FindsARuleAsBadAsHoardingAndFindsItAgain) {
  const auto rule = search_adversary(16, 4);
  EXPECT_EQ(rule.eighths, search_adversary(16, 4).eighths);
  const recycling_setup setup{16, 20'000, 20, 1};
  EXPECT_GT(study_adversary(setup, adversary::searched).of_delays.mean,
            study_adversary(setup, adversary::hoarding).of_delays.mean);
}

TEST(RecyclingGame, RefusesSizesThatThereAreNot) {
  EXPECT_THROW((void)play_recycling_game(0, 1, adversary::eager, {}, rng(1)), heist::usage_error);
  EXPECT_THROW((void)play_recycling_game(1, 0, adversary::eager, {}, rng(1)), heist::usage_error);
  EXPECT_THROW(
      (void)play_recycling_game(heist::lab::max_balls + 1, 1, adversary::eager, {}, rng(1)),
      heist::usage_error);
  EXPECT_THROW(
      (void)play_recycling_game(1, heist::lab::max_tosses + 1, adversary::eager, {}, rng(1)),
      heist::usage_error);
}

TEST(DelayBound, HasItsParts) {
  EXPECT_DOUBLE_EQ(delay_scale(8, 100, 0.25), 100 + 8 * 3 + 8 * 2);
  EXPECT_NEAR(delay_bound(8, 100, 0.25), 543.656 + 40, 1e-3);
  EXPECT_DOUBLE_EQ(delay_scale(1, 10, 1), 10);
}

TEST(RecyclingStudy, GivesTheSameRowForTheSameSeed) {
  const recycling_setup setup{4, 1000, 10, 1};
  const auto row = study_adversary(setup, adversary::eager);
  EXPECT_EQ(row.delays, study_adversary(setup, adversary::eager).delays);
  EXPECT_EQ(row.delays.size(), 10U);
  EXPECT_EQ(row.tail(0), row.of_delays.greatest);
  EXPECT_EQ(row.constant(setup, 0.1), row.tail(0.1) / delay_scale(4, 1000, 0.1));
}

}  // namespace
