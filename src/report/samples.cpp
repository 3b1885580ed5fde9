#include "report/samples.hpp"

#include <algorithm>
#include <functional>

namespace heist::report {

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
