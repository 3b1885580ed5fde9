// Binomial numbers against their exact distribution, by the chi-squared distance.
#include <cmath>

#include <gtest/gtest.h>

#include "lab/schedulers/binomial.hpp"
#include "report/statistics.hpp"

using namespace heist::lab;
namespace report = heist::report;

namespace {

constexpr int draws = 100'000;

// The squared distance from what is expected, per degree of freedom, over the values that are
// expected at least 20 times. About 1 with the right distribution; with 100 degrees of freedom 1.6
// is exceeded once in 10,000 times.
template <class Draw>
double distance(std::size_t n, double p, bool is_positive, Draw draw) {
  std::vector<int> counts(n + 1, 0);
  for (int i = 0; i < draws; ++i) ++counts.at(draw());
  double sum = 0;
  int values = 0;
  double before = is_positive ? report::binomial_cdf(0, n, p) : 0;
  const double all = 1 - before;
  for (std::size_t k = is_positive ? 1 : 0; k <= n; ++k) {
    const double up_to = report::binomial_cdf(k, n, p);
    const double expected = draws * (up_to - before) / all;
    before = up_to;
    if (expected < 20) continue;
    sum += (counts[k] - expected) * (counts[k] - expected) / expected;
    ++values;
  }
  EXPECT_GT(values, 1);
  return sum / (values - 1);
}

}  // namespace

TEST(Binomial, HasItsDistribution) {
  rng random(7);
  struct setting {
    std::size_t n;
    double p;
  };
  const std::vector<setting> settings{{2, 0.3},   {10, 0.5},    {20, 0.9},   {1000, 0.001},
                                      {100, 0.3}, {5000, 0.02}, {300, 0.97}, {4000, 0.5}};
  for (const setting& each : settings) {
    const auto n = each.n;
    const auto p = each.p;
    EXPECT_LT(distance(n, p, false, [&] { return draw_binomial(random, n, p); }), 2.5)
        << n << ' ' << p;
    EXPECT_LT(distance(n, p, true, [&] { return draw_positive_binomial(random, n, p); }), 2.5)
        << n << ' ' << p;
  }
}

TEST(Binomial, HasItsEnds) {
  rng random(7);
  EXPECT_EQ(draw_binomial(random, 0, 0.5), 0u);
  EXPECT_EQ(draw_binomial(random, 9, 0), 0u);
  EXPECT_EQ(draw_binomial(random, 9, 1), 9u);
  EXPECT_EQ(draw_positive_binomial(random, 9, 1), 9u);
  for (int i = 0; i < 1000; ++i) EXPECT_GE(draw_positive_binomial(random, 1'000'000, 1e-12), 1u);
}

TEST(Failures, AreGeometric) {
  rng random(3);
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i)
    values.push_back(static_cast<double>(draw_failures(random, 10, 0.01, 1'000'000)));
  const double none = std::pow(0.99, 10);
  EXPECT_TRUE(report::mean_interval(report::summarize(values), 0.9999).holds(none / (1 - none)));
  EXPECT_EQ(draw_failures(random, 10, 0, 55), 55u);
  EXPECT_EQ(draw_failures(random, 0, 0.5, 55), 55u);
  EXPECT_EQ(draw_failures(random, 3, 1, 55), 0u);
}
