// Charts as SVG: lines, points, bars and bounds over two axes, linear or logarithmic. No script;
// colours for light and for dark surroundings; series differ in their marks and not only in colour.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heist::report {

enum class axis_scale {
  linear,
  log10,
  log2,  // ticks at powers of two: processors
};

struct axis {
  std::string label = {};
  axis_scale scale = axis_scale::linear;
  std::optional<double> least = {}, greatest = {};  // taken from the data where not given
  // Of the places 0, 1, 2 ..., in place of numbers: an x axis only.
  std::vector<std::string> names = {};

  bool operator==(const axis&) const = default;
};

struct point {
  double x = 0, y = 0;
  std::optional<double> low = {}, high = {};  // an interval about y

  bool operator==(const point&) const = default;
};

enum class series_style {
  line,    // with a mark at each point, unless there are many
  points,  // marks only
  bars,    // from the bottom, each as wide as the distance to the next
  bound,   // a dashed line without marks
};

struct series {
  std::string name;  // in the legend; "" isn't listed
  series_style style = series_style::line;
  // In order of x; points that a logarithmic axis can't show are left out.
  std::vector<point> points = {};

  bool operator==(const series&) const = default;
};

struct chart {
  std::string title;
  axis x, y;
  std::vector<series> all;

  bool operator==(const chart&) const = default;
};

// A whole SVG file, which can also stand inside HTML unchanged.
[[nodiscard]] std::string to_svg(const chart& what);

}  // namespace heist::report
