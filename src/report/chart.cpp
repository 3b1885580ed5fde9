#include "report/chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "report/markup.hpp"
#include "report/ruler.hpp"
#include "report/svg.hpp"

namespace heist::report {

namespace {

constexpr double width = 760, plot_height = 340;
constexpr double left = 76, right = 24, top = 44, axis_room = 56;
constexpr double legend_line = 20, letter = 6.7;  // letter: about the width of one at 12 pixels
constexpr std::size_t most_marks = 48;            // a line through more points has no marks

struct range {
  double least = INFINITY, greatest = -INFINITY;

  void take(double value) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  [[nodiscard]] bool empty() const { return least > greatest; }
};

class drawing {
 public:
  explicit drawing(const chart& what)
      : what_(what),
        rows_(legend_rows()),
        height_(top + plot_height + axis_room + legend_line * static_cast<double>(rows_.size())),
        x_(make_ruler(what.x, true)),
        y_(make_ruler(what.y, false)) {}

  std::string svg() {
    canvas_.open(what_.title, width, height_, left);
    axes();
    // Bars are drawn behind the other series, bounds in front of them.
    for (const auto style :
         {series_style::bars, series_style::line, series_style::points, series_style::bound})
      for (std::size_t i = 0; i < what_.all.size(); ++i)
        if (what_.all[i].style == style) draw(what_.all[i], i);
    if (!any_) canvas_.text(width / 2, top + plot_height / 2, "middle", "no data");
    legend();
    return std::move(canvas_).close();
  }

 private:
  [[nodiscard]] ruler make_ruler(const axis& shown, bool horizontal) const {
    range all;
    for (const auto& each : what_.all)
      for (const auto& p : each.points) {
        if (!can_show(what_.x.scale, p.x) || !can_show(what_.y.scale, p.y)) continue;
        if (horizontal) {
          all.take(p.x);
          continue;
        }
        all.take(p.y);
        for (const auto& end : {p.low, p.high})
          if (end && can_show(shown.scale, *end)) all.take(*end);
        if (each.style == series_style::bars && shown.scale == axis_scale::linear) all.take(0);
      }
    if (all.empty()) all = {1, 10};
    if (horizontal) return {shown, all.least, all.greatest, left, width - right};
    return {shown, all.least, all.greatest, top + plot_height, top};
  }

  void axes() {
    const double bottom = top + plot_height;
    for (const double value : y_.ticks()) {
      canvas_.segment("grid", left, y_.place(value), width - right, y_.place(value));
      canvas_.text(left - 8, y_.place(value) + 4, "end", tick_label(value));
    }
    for (const double value : x_.ticks()) {
      canvas_.segment("grid", x_.place(value), top, x_.place(value), bottom);
      if (what_.x.names.empty()) {
        canvas_.text(x_.place(value), bottom + 18, "middle", tick_label(value));
        continue;
      }
      // In two rows, as names may be long.
      const auto place = static_cast<std::size_t>(value);
      canvas_.text(x_.place(value), bottom + (place % 2 == 0 ? 18 : 33), "middle",
                   what_.x.names[place]);
    }
    canvas_.segment("frame", left, bottom, width - right, bottom);
    canvas_.segment("frame", left, top, left, bottom);
    canvas_.text((left + width - right) / 2, bottom + 38, "middle", what_.x.label);
    canvas_.add(
        fmt::format("<text class=\"ink\" transform=\"translate(18 {:.1f}) rotate(-90)\" "
                    "text-anchor=\"middle\">{}</text>\n",
                    top + plot_height / 2, escape_markup(what_.y.label)));
  }

  void draw(const series& each, std::size_t index) {
    std::vector<point> shown;
    for (const auto& p : each.points)
      if (x_.shows(p.x) && y_.shows(p.y)) shown.push_back(p);
    any_ = any_ || !shown.empty();
    if (each.style == series_style::bars) return bars(shown, index);
    if (each.style != series_style::points) path(shown, each.style, index);
    if (each.style == series_style::bound) return;
    for (const auto& p : shown) {
      if (p.low && p.high && y_.shows(*p.low) && y_.shows(*p.high))
        canvas_.segment(line_class(index), x_.place(p.x), y_.place(*p.low), x_.place(p.x),
                        y_.place(*p.high));
      if (each.style == series_style::points || shown.size() <= most_marks)
        canvas_.mark(x_.place(p.x), y_.place(p.y), index);
    }
  }

  void path(const std::vector<point>& points, series_style style, std::size_t index) {
    if (points.empty()) return;
    canvas_.add(fmt::format("<path class=\"{}\"", line_class(index)));
    if (style == series_style::bound) canvas_.add(" stroke-dasharray=\"7 5\"");
    canvas_.add(" d=\"");
    for (std::size_t i = 0; i < points.size(); ++i)
      canvas_.add(fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', x_.place(points[i].x),
                              y_.place(points[i].y)));
    canvas_.add("\"/>\n");
  }

  void bars(const std::vector<point>& points, std::size_t index) {
    double distance = width - right - left;
    for (std::size_t i = 1; i < points.size(); ++i)
      distance = std::min(distance, x_.place(points[i].x) - x_.place(points[i - 1].x));
    const double wide = std::clamp(distance - 2, 1.0, 60.0);
    for (const auto& p : points) {
      const double from = std::max(x_.place(p.x) - wide / 2, left);
      const double to = std::min(x_.place(p.x) + wide / 2, width - right);
      canvas_.add(fmt::format(
          "<rect class=\"{}\" opacity=\"0.75\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
          "height=\"{:.1f}\"/>\n",
          area_class(index), from, y_.place(p.y), to - from, y_.bottom() - y_.place(p.y)));
      if (p.low && p.high && y_.shows(*p.low) && y_.shows(*p.high))
        canvas_.segment("frame", x_.place(p.x), y_.place(*p.low), x_.place(p.x), y_.place(*p.high));
    }
  }

  static double legend_width(const series& each) {
    return 46 + letter * static_cast<double>(each.name.size());
  }

  // Deals the legend's entries out to the lines below the chart.
  [[nodiscard]] std::vector<std::vector<std::size_t>> legend_rows() const {
    std::vector<std::vector<std::size_t>> rows;
    double used = width;
    for (std::size_t i = 0; i < what_.all.size(); ++i) {
      if (what_.all[i].name.empty()) continue;
      const double needed = legend_width(what_.all[i]);
      if (used + needed > width - right) {
        rows.emplace_back();
        used = left;
      }
      rows.back().push_back(i);
      used += needed;
    }
    return rows;
  }

  void legend() {
    double y = top + plot_height + axis_room + 4;
    for (const auto& row : rows_) {
      double x = left;
      for (const std::size_t i : row) {
        const auto& each = what_.all[i];
        const auto line = line_class(i);
        if (each.style == series_style::bars)
          canvas_.add(fmt::format(
              "<rect class=\"{}\" opacity=\"0.75\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"24\" "
              "height=\"10\"/>\n",
              area_class(i), x, y - 5));
        else if (each.style == series_style::bound)
          path_in_legend(line, " stroke-dasharray=\"7 5\"", x, y);
        else if (each.style == series_style::line)
          path_in_legend(line, "", x, y);
        if (each.style == series_style::line || each.style == series_style::points)
          canvas_.mark(x + 12, y, i);
        canvas_.text(x + 30, y + 4, "start", each.name);
        x += legend_width(each);
      }
      y += legend_line;
    }
  }
  void path_in_legend(std::string_view style, std::string_view dashes, double x, double y) {
    canvas_.add(
        fmt::format("<path class=\"{}\"{} d=\"M{:.1f} {:.1f}h24\"/>\n", style, dashes, x, y));
  }

  const chart& what_;
  std::vector<std::vector<std::size_t>> rows_;
  double height_;
  ruler x_, y_;
  svg_canvas canvas_;
  bool any_ = false;
};

}  // namespace

std::string to_svg(const chart& what) { return drawing(what).svg(); }

}  // namespace heist::report
