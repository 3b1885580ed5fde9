// Statistics against printed tables and cases that can be worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <heist/error.hpp>

#include "lab/model/random.hpp"
#include "report/samples.hpp"
#include "report/statistics.hpp"

namespace {

using heist::lab::rng;
using heist::report::binomial_cdf;
using heist::report::compare_means;
using heist::report::incomplete_beta;
using heist::report::least_squares;
using heist::report::mean_interval;
using heist::report::quantile;
using heist::report::quantile_interval;
using heist::report::student_cdf;
using heist::report::student_quantile;
using heist::report::summarize;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Summary, OfKnownValues) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  const auto all = summarize(values);
  EXPECT_EQ(all.count, 8U);
  EXPECT_DOUBLE_EQ(all.mean, 5);
  EXPECT_DOUBLE_EQ(all.variance, 32.0 / 7);
  EXPECT_EQ(all.least, 2);
  EXPECT_EQ(all.greatest, 9);
  EXPECT_EQ(summarize({}).count, 0U);
}

TEST(Summary, LargeMeansDontSwallowTheVariance) {
  const std::vector<double> values = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
  EXPECT_NEAR(summarize(values).variance, 30, 1e-6);
}

// Rows take their values one by one, as runs end.
TEST(Summary, GrowsByOneValue) {
  const std::vector<double> values = {-3, 0.1, 4, 4, 1e6};
  heist::report::summary one_by_one;
  for (const double value : values) one_by_one.add(value);
  const auto at_once = summarize(values);
  EXPECT_EQ(one_by_one.count, 5U);
  EXPECT_EQ(one_by_one.mean, at_once.mean);
  EXPECT_EQ(one_by_one.variance, at_once.variance);
  EXPECT_EQ(one_by_one.least, -3);
  EXPECT_EQ(one_by_one.greatest, 1e6);
}

// From printed tables of the t distribution, two-sided 95 % and 99 %.
TEST(Student, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 5e-5);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.3027, 5e-5);
  EXPECT_NEAR(student_quantile(0.975, 5), 2.5706, 5e-5);
  EXPECT_NEAR(student_quantile(0.975, 30), 2.0423, 5e-5);
  EXPECT_NEAR(student_quantile(0.995, 10), 3.1693, 5e-5);
  EXPECT_NEAR(student_quantile(0.975, 1e6), 1.95996, 1e-4);
  EXPECT_NEAR(student_quantile(0.025, 5), -2.5706, 5e-5);
  EXPECT_NEAR(student_quantile(0.5, 3), 0, 1e-12);
  EXPECT_EQ(student_quantile(1, 3), infinity);
}

TEST(Student, TheCdfIsTheQuantilesInverse) {
  for (const double degrees : {1.0, 2.5, 9.0, 200.0})
    for (const double p : {0.001, 0.2, 0.5, 0.9, 0.9999})
      EXPECT_NEAR(student_cdf(student_quantile(p, degrees), degrees), p, 1e-9);
  // One degree is Cauchy's distribution, in closed form.
  EXPECT_NEAR(student_cdf(1, 1), 0.75, 1e-12);
}

TEST(IncompleteBeta, InClosedForms) {
  for (const double x : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    EXPECT_NEAR(incomplete_beta(1, 1, x), x, 1e-14);
    EXPECT_NEAR(incomplete_beta(3, 1, x), x * x * x, 1e-14);
    EXPECT_NEAR(incomplete_beta(2, 2, x), x * x * (3 - 2 * x), 1e-14);
  }
}

TEST(Binomial, TheCdfIsTheSumOfItsTerms) {
  for (const double p : {0.1, 0.5, 0.83}) {
    double sum = 0;
    double ways = 1;
    for (int k = 0; k <= 9; ++k) {
      sum += ways * std::pow(p, k) * std::pow(1 - p, 9 - k);
      ways = ways * (9 - k) / (k + 1);
      EXPECT_NEAR(binomial_cdf(static_cast<std::size_t>(k), 9, p), sum, 1e-12);
    }
  }
}

TEST(MeanInterval, OfOneValueSaysNothing) {
  EXPECT_EQ(mean_interval(summarize(std::vector<double>{3})).low, -infinity);
}

// The promise of a confidence interval, tested: of 4000 samples of 6, 95 % hold the true mean.
TEST(MeanInterval, HoldsTheMeanAsOftenAsItSays) {
  rng random(1);
  int holds = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<double> values(6);
    for (double& value : values) {
      value = -6;  // a sum of 12 uniform numbers: about normal, variance 1
      for (int i = 0; i < 12; ++i) value += random.unit();
    }
    holds += mean_interval(summarize(values)).holds(0) ? 1 : 0;
  }
  EXPECT_NEAR(holds / 4000.0, 0.95, 0.015);
}

TEST(Quantile, InterpolatesBetweenValues) {
  const std::vector<double> values = {10, 20, 30, 40};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{7}, 0.3), 7);
}

TEST(QuantileInterval, OfAMedianIsThatOfTheTables) {
  // For n = 10 the 2nd and the 9th of the sorted values hold the median with 97.9 %.
  const std::vector<double> ten = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const auto interval = quantile_interval(ten, 0.5);
  EXPECT_EQ(interval.low, 2);
  EXPECT_EQ(interval.high, 9);
  const std::vector<double> few = {1, 2, 3};
  EXPECT_EQ(quantile_interval(few, 0.5).low, -infinity);
  EXPECT_EQ(quantile_interval(few, 0.5).high, infinity);
}

TEST(QuantileInterval, HoldsAtLeastAsOftenAsItSays) {
  rng random(4);
  int holds = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> values(40);
    for (double& value : values) value = random.unit();
    std::sort(values.begin(), values.end());
    holds += quantile_interval(values, 0.9).holds(0.9) ? 1 : 0;
  }
  EXPECT_GE(holds, 1890);
}

TEST(CompareMeans, OfTheSameDistributionSeldomDiffer) {
  rng random(9);
  int differ = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> a(12), b(20);
    for (double& value : a) value = random.unit();
    for (double& value : b) value = random.unit();
    differ += compare_means(summarize(a), summarize(b)).p_value < 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(differ / 2000.0, 0.05, 0.02);
}

TEST(CompareMeans, SeesADifference) {
  const auto a = summarize(std::vector<double>{10.1, 10.2, 9.9, 10.0});
  const auto b = summarize(std::vector<double>{12.1, 12.2, 11.8, 12.1});
  const auto result = compare_means(a, b);
  EXPECT_LT(result.p_value, 1e-4);
  EXPECT_FALSE(result.of_difference.holds(0));
  const auto constant = summarize(std::vector<double>{5, 5});
  EXPECT_EQ(compare_means(constant, constant).p_value, 1);
  EXPECT_EQ(compare_means(constant, summarize(std::vector<double>{6, 6})).p_value, 0);
}

TEST(LeastSquares, FindsAnExactSum) {
  const std::vector<std::vector<double>> columns = {{1, 2, 3, 4}, {1e6, 1e6, 3e6, -2e6}};
  std::vector<double> y;
  for (std::size_t i = 0; i < 4; ++i) y.push_back(3 * columns[0][i] - 2e-6 * columns[1][i]);
  const auto fit = least_squares(columns, y);
  EXPECT_NEAR(fit.coefficients[0], 3, 1e-12);
  EXPECT_NEAR(fit.coefficients[1], -2e-6, 1e-18);
  EXPECT_NEAR(fit.r_squared, 1, 1e-12);
  for (const double off : fit.residuals) EXPECT_NEAR(off, 0, 1e-12);
}

// y = 2x with errors 1, -1: worked out by hand.
TEST(LeastSquares, GivesTheStandardErrorOfASlope) {
  const auto fit = least_squares({{1, 1}}, {3, 1});
  EXPECT_DOUBLE_EQ(fit.coefficients[0], 2);
  EXPECT_DOUBLE_EQ(fit.residual_deviation, std::sqrt(2));
  EXPECT_DOUBLE_EQ(fit.errors[0], 1);
}

TEST(LeastSquares, RefusesWhatHasNoAnswer) {
  EXPECT_THROW((void)least_squares({{1}, {2}}, {3}), heist::usage_error);
  EXPECT_THROW((void)least_squares({{1, 2}, {2, 4}}, {3, 1}), heist::usage_error);
  EXPECT_THROW((void)least_squares({}, {3, 1}), heist::usage_error);
}

}  // namespace

namespace heist::report {
namespace {

using testing::ElementsAre;

TEST(Samples, MedianIsAValueThatWasMeasured) {
  EXPECT_EQ(samples({3, 1, 2}).median(), 2);
  EXPECT_EQ(samples({4, 1, 3, 2}).median(), 2);
  EXPECT_EQ(samples({7}).median(), 7);
}

TEST(Samples, LeastAndGreatestAreTheEnds) {
  const samples some({2, 9, -1, 4});
  EXPECT_EQ(some.least(), -1);
  EXPECT_EQ(some.greatest(), 9);
}

TEST(Samples, QuantileLeavesItsShareBelow) {
  samples hundred;
  for (int i = 100; i >= 0; --i) hundred.add(i);
  EXPECT_EQ(hundred.quantile(0.9), 90);
  EXPECT_EQ(hundred.quantile(0), 0);
  EXPECT_EQ(hundred.quantile(1), 100);
}

TEST(Samples, KeepTheOrderInWhichTheyWereTaken) {
  samples some({3, 1});
  some.add(2);
  static_cast<void>(some.median());
  EXPECT_THAT(some.values(), ElementsAre(3, 1, 2));
}

TEST(Samples, RatioIsOfValuesOfTheSameRound) {
  EXPECT_THAT(ratio(samples({10, 30}), samples({5, 10})).values(), ElementsAre(2, 3));
  EXPECT_THAT(product(samples({10, 30}), samples({5, 10})).values(), ElementsAre(50, 300));
  EXPECT_THAT(scaled(samples({1, 2}), 1000).values(), ElementsAre(1000, 2000));
}

TEST(Samples, RatioEndsWithTheShorterOne) {
  EXPECT_THAT(ratio(samples({10, 30, 50}), samples({5})).values(), ElementsAre(2));
  EXPECT_TRUE(ratio(samples(), samples({5})).empty());
}

}  // namespace
}  // namespace heist::report
