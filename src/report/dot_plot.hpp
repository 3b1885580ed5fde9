// A dot plot: a line for each thing measured, with its name, a dot for its figure, the interval,
// and the number. It shows many named figures of one kind at a glance; unlike bars, dots may stand
// on a logarithmic axis, since nothing begins at its left edge.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/chart.hpp"

namespace heist::report {

struct dot {
  std::string name;
  double value = 0;
  std::optional<double> low = {}, high = {};
  std::size_t series = 0;  // its colour and mark
};

struct dot_plot {
  std::string title;
  axis x = {};
  std::vector<dot> dots = {};            // from top to bottom
  std::vector<std::string> series = {};  // names for the legend; none: no legend
  std::optional<double> reference = {};  // a dashed line, as at 1 for ratios
};

// A whole SVG file, which can also stand inside HTML unchanged.
[[nodiscard]] std::string to_svg(const dot_plot& what);

}  // namespace heist::report
