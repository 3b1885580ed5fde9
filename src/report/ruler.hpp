// One direction of a plot: maps values to pixels, and says where the ticks stand.
#pragma once

#include <string>
#include <vector>

#include "report/chart.hpp"

namespace heist::report {

class ruler {
 public:
  // For values from least to greatest, which the axis rounds to its ticks unless it has bounds of
  // its own, between two places in pixels.
  ruler(const axis& shown, double least, double greatest, double from, double to);

  // A logarithmic axis shows positive numbers only.
  [[nodiscard]] bool shows(double value) const;
  [[nodiscard]] double place(double value) const;
  [[nodiscard]] double bottom() const { return from_; }
  [[nodiscard]] std::vector<double> ticks() const;

 private:
  [[nodiscard]] double transform(double value) const;

  axis_scale scale_;
  double from_, to_;
  double low_ = 0, high_ = 1, step_ = 1;
};

// Can an axis of this scale show the value?
[[nodiscard]] bool can_show(axis_scale scale, double value);

// A tick's number, with k, M or G.
[[nodiscard]] std::string tick_label(double value);

}  // namespace heist::report
