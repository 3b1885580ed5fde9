// Measured values of one thing, in the order in which they were taken.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace heist::bench {

class samples {
 public:
  samples() = default;
  explicit samples(std::vector<double> values) : values_(std::move(values)) {}

  void add(double value) { values_.push_back(value); }

  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }

  // The value below which this share of them lies; always one that was measured. Not for an empty
  // set, as for the next three.
  [[nodiscard]] double quantile(double share) const;
  [[nodiscard]] double median() const { return quantile(0.5); }  // the lower one of two
  [[nodiscard]] double least() const { return quantile(0); }
  [[nodiscard]] double greatest() const { return quantile(1); }

 private:
  std::vector<double> values_;
};

// Round by round: what one contestant took, divided by what the other took in the same round. What
// else happened on the machine in that round hit both, so these spread less than the times do.
[[nodiscard]] samples ratio(const samples& a, const samples& b);
[[nodiscard]] samples product(const samples& a, const samples& b);
[[nodiscard]] samples scaled(const samples& a, double factor);

}  // namespace heist::bench
