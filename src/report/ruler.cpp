#include "report/ruler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace heist::report {

namespace {

double nice_step(double about) {
  const double unit = std::pow(10, std::floor(std::log10(about)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * unit >= about * 0.999) return factor * unit;
  return 10 * unit;
}

}  // namespace

ruler::ruler(const axis& shown, double least, double greatest, double from, double to)
    : scale_(shown.scale), from_(from), to_(to) {
  if (!shown.names.empty()) {
    low_ = -0.5;
    high_ = static_cast<double>(shown.names.size()) - 0.5;
    return;
  }
  low_ = transform(shown.least.value_or(least));
  high_ = transform(shown.greatest.value_or(greatest));
  if (scale_ == axis_scale::linear) {
    if (high_ <= low_) high_ = low_ + (low_ == 0 ? 1 : std::abs(low_));
    step_ = nice_step((high_ - low_) / 6);
    if (!shown.least) low_ = std::floor(low_ / step_) * step_;
    if (!shown.greatest) high_ = std::ceil(high_ / step_ - 1e-9) * step_;
  } else {
    if (!shown.least) low_ = std::floor(low_ + 1e-9);
    if (!shown.greatest) high_ = std::ceil(high_ - 1e-9);
    if (high_ <= low_) high_ = low_ + 1;
    step_ = std::max(1.0, std::ceil((high_ - low_) / 10));
  }
}

bool can_show(axis_scale scale, double value) {
  return std::isfinite(value) && (scale == axis_scale::linear || value > 0);
}

bool ruler::shows(double value) const { return can_show(scale_, value); }

double ruler::place(double value) const {
  const double share = (transform(value) - low_) / (high_ - low_);
  return from_ + (to_ - from_) * std::clamp(share, 0.0, 1.0);
}

std::vector<double> ruler::ticks() const {
  std::vector<double> result;
  const double end = high_ + step_ * 1e-6;
  // The second condition ends it where a step is lost in the rounding of large values.
  for (double at = std::ceil(low_ / step_ - 1e-6) * step_; at <= end && at + step_ > at;
       at += step_) {
    const double value = std::abs(at) < step_ * 1e-6 ? 0 : at;
    if (scale_ == axis_scale::linear) result.push_back(value);
    if (scale_ == axis_scale::log10) result.push_back(std::pow(10, value));
    if (scale_ == axis_scale::log2) result.push_back(std::exp2(value));
  }
  return result;
}

double ruler::transform(double value) const {
  if (scale_ == axis_scale::linear) return value;
  const double positive = std::max(value, 1e-300);
  return scale_ == axis_scale::log10 ? std::log10(positive) : std::log2(positive);
}

std::string tick_label(double value) {
  const double size = std::abs(value);
  if (size >= 1e12) return fmt::format("{:.3g}", value);
  for (const auto& [unit, name] : {std::pair{1e9, "G"}, {1e6, "M"}, {1e4, "k"}})
    if (size >= unit) {
      const double divisor = unit == 1e4 ? 1e3 : unit;
      return fmt::format("{:.4g}{}", value / divisor, name);
    }
  return fmt::format("{:.4g}", value);
}

}  // namespace heist::report
