// The costs of a loop's iterations: their sum is what was asked for, and their distribution what
// its name says.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "lab/experiments/granularity_costs.hpp"

namespace {

using namespace heist::lab;

std::uint64_t sum(const std::vector<std::uint64_t>& costs) {
  return std::accumulate(costs.begin(), costs.end(), std::uint64_t{0});
}

double share_above(const std::vector<std::uint64_t>& costs, double limit) {
  const auto above = std::count_if(costs.begin(), costs.end(),
                                   [&](auto cost) { return static_cast<double>(cost) > limit; });
  return static_cast<double>(above) / static_cast<double>(costs.size());
}

TEST(Costs, SumUpToTheWorkWithAStepForEach) {
  for (const auto& each : cost_names())
    for (const std::uint64_t grains : {1U, 2U, 48U, 1000U})
      for (const std::uint64_t work : {grains, grains + 1, grains * 977 + 13}) {
        rng random(grains + work);
        const auto costs = draw_costs(each.kind, work, grains, 1, random);
        for (const auto& list : {costs.now, costs.before}) {
          EXPECT_EQ(list.size(), grains) << each.name;
          EXPECT_EQ(sum(list), work) << each.name;
          EXPECT_GE(*std::min_element(list.begin(), list.end()), 1U) << each.name;
        }
      }
}

TEST(Costs, AreTheSameForTheSameSeed) {
  for (const auto& each : cost_names()) {
    rng first(5);
    rng second(5);
    rng third(6);
    const auto costs = draw_costs(each.kind, 1'000'000, 640, 16, first);
    EXPECT_EQ(costs.now, draw_costs(each.kind, 1'000'000, 640, 16, second).now);
    const bool has_chance = each.kind != cost_kind::equal && each.kind != cost_kind::one_long;
    EXPECT_EQ(costs.now != draw_costs(each.kind, 1'000'000, 640, 16, third).now, has_chance);
  }
}

// How much lies above the mean, and above three times the mean; five deviations of 200,000 draws
// are 0.006 at most.
TEST(Costs, HaveTheirDistribution) {
  constexpr std::uint64_t grains = 200'000;
  constexpr double mean = 10'000;
  const auto drawn = [](cost_kind kind) {
    rng random(11);
    return draw_costs(kind, grains * static_cast<std::uint64_t>(mean), grains, 16, random).now;
  };
  const auto exponential = drawn(cost_kind::exponential);
  EXPECT_NEAR(share_above(exponential, mean), 0.3679, 0.006);
  EXPECT_NEAR(share_above(exponential, 3 * mean), 0.0498, 0.006);
  const auto uniform = drawn(cost_kind::uniform);
  EXPECT_NEAR(share_above(uniform, mean), 0.5, 0.006);
  EXPECT_NEAR(share_above(uniform, 1.5 * mean), 0.25, 0.006);
  EXPECT_EQ(share_above(uniform, 2.02 * mean), 0);
  const auto pareto =
      drawn(cost_kind::pareto);  // the sum, and so the scale, varies by a few per cent
  EXPECT_NEAR(share_above(pareto, mean), 0.25, 0.02);
  EXPECT_NEAR(share_above(pareto, 3 * mean), 1.0 / 36, 0.006);
  EXPECT_GT(share_above(pareto, 50 * mean), 0);
}

TEST(Costs, OneLongIsHalfOfAProcessorsShareAndTheLast) {
  rng random(1);
  const auto costs = draw_costs(cost_kind::one_long, 1'600'000, 1600, 16, random).now;
  EXPECT_NEAR(static_cast<double>(costs.back()), 50'000, 50);
  EXPECT_EQ(*std::max_element(costs.begin(), costs.end()), costs.back());
  EXPECT_LT(*std::max_element(costs.begin(), costs.end() - 1), 1100U);
}

TEST(History, ChangesAnEighthOfTheCosts) {
  constexpr std::uint64_t grains = 100'000;
  rng random(3);
  const auto costs = draw_costs(cost_kind::uniform, grains * 1'000'000, grains, 16, random);
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < grains; ++i) {
    const auto off = static_cast<double>(costs.now[i]) - static_cast<double>(costs.before[i]);
    changed += std::abs(off) > 0.01 * static_cast<double>(costs.now[i]) + 1000 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(changed) / grains, 0.125, 0.006);
}

TEST(Noise, IsAFactorFromAHalfToTwo) {
  rng random(9);
  double least = 1;
  double greatest = 1;
  for (int i = 0; i < 10'000; ++i) {
    const double factor = static_cast<double>(noisy(1'000'000'000, random)) / 1e9;
    least = std::min(least, factor);
    greatest = std::max(greatest, factor);
  }
  EXPECT_GE(least, 0.5 - 1e-9);
  EXPECT_LE(greatest, 2);
  EXPECT_LT(least, 0.51);
  EXPECT_GT(greatest, 1.98);
  EXPECT_EQ(noisy(0, random), 0U);
}

}  // namespace
