#include "lab/schedulers/binomial.hpp"

#include <cmath>

namespace heist::lab {

namespace {

// Below this many expected successes inversion is fast, above it rejection is right.
constexpr double few = 10;

// Inversion: goes up from `value`, whose probability is `f`, until the probabilities passed sum up
// to u. They follow from each other by a recurrence.
std::uint64_t invert(double u, double f, std::uint64_t value, std::uint64_t n, double p) {
  const double odds = p / (1 - p);
  while (u >= f && value < n) {
    u -= f;
    f *= odds * static_cast<double>(n - value) / static_cast<double>(value + 1);
    ++value;
    if (f < 1e-300) break;  // what remains of u is a rounding error
  }
  return value;
}

// log k! - Stirling's formula.
double stirling_rest(double k) {
  static constexpr double table[] = {0.08106146679532726, 0.04134069595540929, 0.02767792568499834,
                                     0.02079067210376509, 0.01664469118982119, 0.01387612882307075,
                                     0.01189670994589177, 0.01041126526197209, 0.009255462182712733,
                                     0.008330563433362871};
  if (k < 10) return table[static_cast<int>(k)];
  const double r = 1 / ((k + 1) * (k + 1));
  return (1.0 / 12 - (1.0 / 360 - r / 1260) * r) / (k + 1);
}

// Hörmann's algorithm BTRS, with his names, for p <= 1/2 and n * p >= few.
std::uint64_t reject(rng& random, std::uint64_t trials, double p) {
  const double n = static_cast<double>(trials);
  const double spq = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * spq;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = n * p + 0.5;
  const double v_r = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * spq;
  const double m = std::floor((n + 1) * p);
  for (;;) {
    const double u = random.unit() - 0.5;
    double v = random.unit();
    const double us = 0.5 - std::fabs(u);
    if (us == 0) continue;
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return static_cast<std::uint64_t>(k);
    if (k < 0 || k > n) continue;
    v = std::log(v * alpha / (a / (us * us) + b));
    const double bound = (m + 0.5) * std::log((m + 1) / (p / (1 - p) * (n - m + 1))) +
                         (n + 1) * std::log((n - m + 1) / (n - k + 1)) +
                         (k + 0.5) * std::log(p / (1 - p) * (n - k + 1) / (k + 1)) +
                         stirling_rest(m) + stirling_rest(n - m) - stirling_rest(k) -
                         stirling_rest(n - k);
    if (v <= bound) return static_cast<std::uint64_t>(k);
  }
}

double none_succeeds(std::uint64_t n, double p) {
  return std::exp(static_cast<double>(n) * std::log1p(-p));
}

}  // namespace

std::uint64_t draw_binomial(rng& random, std::uint64_t n, double p) {
  if (n == 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - draw_binomial(random, n, 1 - p);
  if (static_cast<double>(n) * p >= few) return reject(random, n, p);
  return invert(random.unit(), none_succeeds(n, p), 0, n, p);
}

std::uint64_t draw_positive_binomial(rng& random, std::uint64_t n, double p) {
  if (p >= 1) return n;
  if (static_cast<double>(n) * p >= few || p > 0.5) {
    for (;;)
      if (const auto value = draw_binomial(random, n, p); value > 0) return value;
  }
  const double none = none_succeeds(n, p);
  const double one = static_cast<double>(n) * p / (1 - p) * none;
  return invert(random.unit() * -std::expm1(static_cast<double>(n) * std::log1p(-p)), one, 1, n, p);
}

std::uint64_t draw_failures(rng& random, std::uint64_t n, double p, std::uint64_t limit) {
  if (n == 0 || p <= 0) return limit;
  if (p >= 1) return 0;
  const double steps =
      std::floor(std::log1p(-random.unit()) / (static_cast<double>(n) * std::log1p(-p)));
  return steps < static_cast<double>(limit) ? static_cast<std::uint64_t>(steps) : limit;
}

}  // namespace heist::lab
