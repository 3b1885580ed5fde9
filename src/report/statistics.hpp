// What samples say: means with Student's intervals, medians, quantiles, a comparison of two means,
// and least squares.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace heist::report {

struct interval {
  double low = 0, high = 0;

  [[nodiscard]] bool holds(double value) const { return low <= value && value <= high; }
};

struct summary {
  std::size_t count = 0;
  double mean = 0;
  double variance = 0;  // the estimate for the distribution: divided by count - 1; 0 for one value
  double least = 0, greatest = 0;
  double squares = 0;  // of the values' distances from the mean, summed up

  void add(double value);
  [[nodiscard]] double deviation() const;
  [[nodiscard]] double standard_error() const;  // of the mean
};

[[nodiscard]] summary summarize(std::span<const double> values);

// Contains the distribution's mean with this confidence, if the mean of that many values is about
// normal. One value tells nothing: then the interval is from -infinity to infinity.
[[nodiscard]] interval mean_interval(const summary& values, double confidence = 0.95);

// The q-quantile of sorted values; between two of them by linear interpolation (type 7 of Hyndman
// and Fan 1996). There must be at least one value, and 0 <= q <= 1.
[[nodiscard]] double quantile(std::span<const double> sorted, double q);

// Contains the distribution's q-quantile with at least this confidence, whatever the distribution
// is. The ends are two of the sorted values, chosen by the binomial distribution, or infinite where
// there are too few values.
[[nodiscard]] interval quantile_interval(std::span<const double> sorted, double q,
                                         double confidence = 0.95);

// The regularized function I_x(a, b), for a, b > 0 and 0 <= x <= 1.
[[nodiscard]] double incomplete_beta(double a, double b, double x);

// The probability of at most `successes` in `trials`, each with probability p.
[[nodiscard]] double binomial_cdf(std::size_t successes, std::size_t trials, double p);

// Student's distribution, exactly, however few degrees of freedom.
[[nodiscard]] double student_cdf(double t, double degrees);
[[nodiscard]] double student_quantile(double probability, double degrees);

// Are two means the same, though the variances may differ (Welch 1947)?
struct comparison {
  double difference = 0;      // a's mean - b's
  double t = 0, degrees = 0;  // degrees of freedom, by Satterthwaite
  double p_value = 1;      // the probability of a difference this large if the means are the same
  interval of_difference;  // at the confidence asked for
};
[[nodiscard]] comparison compare_means(const summary& a, const summary& b,
                                       double confidence = 0.95);

// y = sum of coefficient[i] * columns[i], without a constant term.
struct linear_fit {
  std::vector<double> coefficients;
  std::vector<double> errors;     // standard errors of the coefficients
  std::vector<double> residuals;  // y - fitted
  double residual_deviation = 0;
  double r_squared = 0;  // share of the sum of squares of y that is explained
  std::size_t degrees = 0;
};

// Works by orthogonalisation, so that columns of very different size do no harm. Throws usage_error
// where there are fewer values than columns, or where a column is a linear combination of others.
[[nodiscard]] linear_fit least_squares(const std::vector<std::vector<double>>& columns,
                                       const std::vector<double>& y);

}  // namespace heist::report
