#include "report/heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "report/markup.hpp"
#include "report/svg.hpp"

namespace heist::report {

namespace {

constexpr double margin = 16, top = 64, line = 26, letter = 6.7, padding = 14, least_cell = 56;
constexpr double legend_room = 56, swatch = 22;
constexpr double reach = 2;         // doublings from the middle to the strongest colour
constexpr double dark_from = 0.55;  // of that distance; from there on numbers are white

using colour = std::array<double, 3>;
constexpr colour below = {0x00, 0x5a, 0x94}, no_colour = {0xf7, 0xf7, 0xf5},
                 above = {0xb8, 0x4a, 0x00};

// From -1, strongest below the middle, to 1.
double strength(double value, double middle) {
  return std::clamp(std::log2(value / middle) / reach, -1.0, 1.0);
}

std::string fill_of(double strength) {
  const colour& end = strength < 0 ? below : above;
  const double share = std::abs(strength);
  std::string hex = "#";
  for (std::size_t i = 0; i < 3; ++i)
    hex += fmt::format(
        "{:02x}", static_cast<int>(std::lround(no_colour[i] + share * (end[i] - no_colour[i]))));
  return hex;
}

double width_of(const std::vector<std::string>& names, double least) {
  for (const auto& each : names)
    least = std::max(least, letter * static_cast<double>(each.size()) + padding);
  return least;
}

class heat_drawing {
 public:
  explicit heat_drawing(const heat_map& what)
      : what_(what),
        left_(margin + width_of(what.rows, 0)),
        cell_(width_of(what.columns, least_cell)) {}

  std::string svg() {
    const double right = left_ + cell_ * static_cast<double>(what_.columns.size());
    const double bottom = top + line * static_cast<double>(what_.rows.size());
    const double title_end = margin + 8.4 * static_cast<double>(what_.title.size());
    canvas_.open(what_.title, std::max({right, title_end, left_ + legend_width}) + margin,
                 bottom + legend_room, margin);
    for (std::size_t c = 0; c < what_.columns.size(); ++c)
      canvas_.text(left_ + cell_ * (static_cast<double>(c) + 0.5), top - 10, "middle",
                   what_.columns[c]);
    for (std::size_t r = 0; r < what_.rows.size(); ++r) draw_row(r);
    draw_legend(bottom + 16);
    return std::move(canvas_).close();
  }

 private:
  static constexpr int swatches = 9;
  static constexpr double legend_width = swatch * swatches;

  void draw_row(std::size_t r) {
    const double y = top + line * static_cast<double>(r);
    canvas_.text(left_ - 10, y + line / 2 + 4, "end", what_.rows[r]);
    for (std::size_t c = 0; c < what_.columns.size(); ++c) {
      const double x = left_ + cell_ * static_cast<double>(c);
      const bool is_there = r < what_.cells.size() && c < what_.cells[r].size();
      const auto value = is_there ? what_.cells[r][c] : std::nullopt;
      if (value && std::isfinite(*value) && *value > 0)
        draw_cell(x, y, *value);
      else
        canvas_.text(x + cell_ / 2, y + line / 2 + 4, "middle", "-");
    }
  }

  void draw_cell(double x, double y, double value) {
    const double how = strength(value, what_.middle);
    canvas_.add(fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x + 1,
        y + 1, cell_ - 2, line - 2, fill_of(how)));
    canvas_.add(fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\">{}</text>\n",
        x + cell_ / 2, y + line / 2 + 4, std::abs(how) > dark_from ? "#ffffff" : "#1f2328",
        value < 9.995 ? fmt::format("{:.2f}", value) : figure(value)));
  }

  void draw_legend(double y) {
    for (int i = 0; i < swatches; ++i) {
      const double how = 2.0 * i / (swatches - 1) - 1;
      const double x = left_ + swatch * i;
      canvas_.add(fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"10\" fill=\"{}\"/>\n", x, y,
          swatch, fill_of(how)));
      if (i % 2 == 0)
        canvas_.text(x + swatch / 2, y + 26, "middle",
                     fmt::format("{:g}", what_.middle * std::exp2(how * reach)));
    }
  }

  const heat_map& what_;
  double left_, cell_;
  svg_canvas canvas_;
};

}  // namespace

std::string to_svg(const heat_map& what) { return heat_drawing(what).svg(); }

}  // namespace heist::report
