#include "report/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "report/samples.hpp"

namespace heist::report {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The continued fraction of the incomplete beta function, by Lentz's method. Converges fast for
// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  constexpr int most_terms = 10'000;
  const auto away_from_zero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int i = 1; i <= most_terms; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    result *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

// lgamma writes the sign to a global variable, so threads must not call this at the same time; the
// lab has none.
double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

// Welford's update, which avoids the difference of two large sums.
void summary::add(double value) {
  least = count == 0 ? value : std::min(least, value);
  greatest = count == 0 ? value : std::max(greatest, value);
  const auto seen = static_cast<double>(++count);
  const double off = value - mean;
  mean += off / seen;
  squares += off * (value - mean);
  if (count > 1) variance = squares / (seen - 1);
}

double summary::deviation() const { return std::sqrt(variance); }

double summary::standard_error() const {
  return count == 0 ? infinity : std::sqrt(variance / static_cast<double>(count));
}

summary summarize(std::span<const double> values) {
  summary result;
  for (const double value : values) result.add(value);
  return result;
}

interval mean_interval(const summary& values, double confidence) {
  if (values.count < 2) return {-infinity, infinity};
  const double t = student_quantile(0.5 + confidence / 2, static_cast<double>(values.count - 1));
  return {values.mean - t * values.standard_error(), values.mean + t * values.standard_error()};
}

double quantile(std::span<const double> sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), sorted.size() - 1);
  const auto above = std::min(below + 1, sorted.size() - 1);
  const double share = place - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

interval quantile_interval(std::span<const double> sorted, double q, double confidence) {
  // The i-th smallest of n (from 1) is above the quantile when at most i - 1 of them lie below it.
  const double tail = (1 - confidence) / 2;
  const std::size_t n = sorted.size();
  interval result{-infinity, infinity};
  for (std::size_t i = 1; i <= n && binomial_cdf(i - 1, n, q) <= tail; ++i)
    result.low = sorted[i - 1];
  for (std::size_t i = n; i >= 1 && 1 - binomial_cdf(i - 1, n, q) <= tail; --i)
    result.high = sorted[i - 1];
  return result;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(a * std::log(x) + b * std::log1p(-x) - log_beta(a, b));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double binomial_cdf(std::size_t successes, std::size_t trials, double p) {
  if (successes >= trials) return 1;
  return incomplete_beta(static_cast<double>(trials - successes),
                         static_cast<double>(successes) + 1, 1 - p);
}

double student_cdf(double t, double degrees) {
  if (std::isinf(t)) return t > 0 ? 1 : 0;
  const double tail = incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_quantile(double probability, double degrees) {
  if (probability <= 0) return -infinity;
  if (probability >= 1) return infinity;
  if (probability < 0.5) return -student_quantile(1 - probability, degrees);
  double low = 0;
  double high = 1;
  while (student_cdf(high, degrees) < probability && high < 1e300) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (student_cdf(middle, degrees) < probability ? low : high) = middle;
  }
  return high;
}

comparison compare_means(const summary& a, const summary& b, double confidence) {
  comparison result;
  result.difference = a.mean - b.mean;
  result.of_difference = {-infinity, infinity};
  if (a.count < 2 || b.count < 2) return result;
  const double of_a = a.variance / static_cast<double>(a.count);
  const double of_b = b.variance / static_cast<double>(b.count);
  const double error = std::sqrt(of_a + of_b);
  if (error == 0) {  // no spread at all: the means are equal, or surely different
    result.p_value = result.difference == 0 ? 1 : 0;
    result.t = result.difference == 0 ? 0 : std::copysign(infinity, result.difference);
    result.degrees = static_cast<double>(a.count + b.count - 2);
    result.of_difference = {result.difference, result.difference};
    return result;
  }
  result.t = result.difference / error;
  result.degrees = (of_a + of_b) * (of_a + of_b) /
                   (of_a * of_a / static_cast<double>(a.count - 1) +
                    of_b * of_b / static_cast<double>(b.count - 1));
  result.p_value = 2 * student_cdf(-std::abs(result.t), result.degrees);
  const double t = student_quantile(0.5 + confidence / 2, result.degrees);
  result.of_difference = {result.difference - t * error, result.difference + t * error};
  return result;
}

linear_fit least_squares(const std::vector<std::vector<double>>& columns,
                         const std::vector<double>& y) {
  const std::size_t n = y.size();
  const std::size_t k = columns.size();
  if (n < k || k == 0)
    throw usage_error(fmt::format("a fit of {} coefficients needs as many values, not {}", k, n));
  // columns = q * r with orthonormal q, by modified Gram-Schmidt.
  auto q = columns;
  std::vector<std::vector<double>> r(k, std::vector<double>(k, 0));
  for (std::size_t j = 0; j < k; ++j) {
    const double before = std::sqrt(dot(columns[j], columns[j]));
    for (std::size_t i = 0; i < j; ++i) {
      r[i][j] = dot(q[i], q[j]);
      for (std::size_t row = 0; row < n; ++row) q[j][row] -= r[i][j] * q[i][row];
    }
    r[j][j] = std::sqrt(dot(q[j], q[j]));
    if (!(r[j][j] > 1e-10 * before))
      throw usage_error("a fit's columns depend on each other: vary P and the programs");
    for (double& value : q[j]) value /= r[j][j];
  }
  linear_fit fit;
  fit.degrees = n - k;
  fit.residuals = y;
  fit.coefficients.assign(k, 0);
  std::vector<double> right(k);
  for (std::size_t j = 0; j < k; ++j) {
    right[j] = dot(q[j], fit.residuals);
    for (std::size_t row = 0; row < n; ++row) fit.residuals[row] -= right[j] * q[j][row];
  }
  for (std::size_t j = k; j-- > 0;) {
    double value = right[j];
    for (std::size_t i = j + 1; i < k; ++i) value -= r[j][i] * fit.coefficients[i];
    fit.coefficients[j] = value / r[j][j];
  }
  const double unexplained = dot(fit.residuals, fit.residuals);
  const double all = dot(y, y);
  fit.r_squared = all > 0 ? 1 - unexplained / all : 1;
  const double variance =
      fit.degrees > 0 ? unexplained / static_cast<double>(fit.degrees) : infinity;
  fit.residual_deviation = std::sqrt(variance);
  // The coefficients' covariance is variance * inverse(r) * transposed(inverse(r)).
  for (std::size_t j = 0; j < k; ++j) {
    double squares = 0;
    for (std::size_t target = j; target < k; ++target) {
      std::vector<double> unit(k, 0);  // the target-th column of inverse(r)
      for (std::size_t row = target + 1; row-- > 0;) {
        double value = row == target ? 1 : 0;
        for (std::size_t i = row + 1; i <= target; ++i) value -= r[row][i] * unit[i];
        unit[row] = value / r[row][row];
      }
      squares += unit[j] * unit[j];
    }
    fit.errors.push_back(std::sqrt(variance * squares));
  }
  return fit;
}

// ---- samples.hpp

namespace {

template <class Operation>
samples by_rounds(const samples& a, const samples& b, Operation operation) {
  std::vector<double> values(std::min(a.size(), b.size()));
  std::transform(a.values().begin(),
                 a.values().begin() + static_cast<std::ptrdiff_t>(values.size()),
                 b.values().begin(), values.begin(), operation);
  return samples(std::move(values));
}

}  // namespace

double samples::quantile(double share) const {
  auto ordered = values_;
  const auto last = static_cast<double>(ordered.size() - 1);
  const auto place = ordered.begin() + static_cast<std::ptrdiff_t>(share * last);
  std::nth_element(ordered.begin(), place, ordered.end());
  return *place;
}

samples ratio(const samples& a, const samples& b) { return by_rounds(a, b, std::divides<>{}); }

samples product(const samples& a, const samples& b) { return by_rounds(a, b, std::multiplies<>{}); }

samples scaled(const samples& a, double factor) {
  auto values = a.values();
  for (double& value : values) value *= factor;
  return samples(std::move(values));
}

}  // namespace heist::report
