// Measured values of one quantity, in the order in which they were taken.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace heist::report {

class samples {
 public:
  samples() = default;
  explicit samples(std::vector<double> values) : values_(std::move(values)) {}

  void add(double sample) { values_.push_back(sample); }

  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }

  // The value below which this share of the values lies; it is always one that was measured. The
  // set must not be empty, nor for the next three functions.
  [[nodiscard]] double quantile(double share) const;
  [[nodiscard]] double median() const { return quantile(0.5); }  // the lower one of two
  [[nodiscard]] double least() const { return quantile(0); }
  [[nodiscard]] double greatest() const { return quantile(1); }

 private:
  std::vector<double> values_;
};

// For each round, the time of one contestant divided by that of the other. Other activity on the
// machine in that round affected both, so the ratios spread less than the times do.
[[nodiscard]] samples ratio(const samples& a, const samples& b);
[[nodiscard]] samples product(const samples& a, const samples& b);
[[nodiscard]] samples scaled(const samples& a, double factor);

}  // namespace heist::report
