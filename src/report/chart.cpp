#include "report/chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "report/markup.hpp"
#include "report/palette.hpp"

namespace heist::report {

namespace {

constexpr double width = 760, plot_height = 340;
constexpr double left = 76, right = 24, top = 44, axis_room = 56;
constexpr double legend_line = 20, letter = 6.7;  // letter: about the width of one at 12 pixels
constexpr std::size_t most_marks = 48;            // a line through more points has no marks

// One direction of the plot: maps values to pixels.
class ruler {
 public:
  ruler(const axis& shown, double least, double greatest, double from, double to)
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

  [[nodiscard]] bool shows(double value) const {
    return std::isfinite(value) && (scale_ == axis_scale::linear || value > 0);
  }
  [[nodiscard]] double place(double value) const {
    const double share = (transform(value) - low_) / (high_ - low_);
    return from_ + (to_ - from_) * std::clamp(share, 0.0, 1.0);
  }
  [[nodiscard]] double bottom() const { return from_; }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> result;
    const double end = high_ + step_ * 1e-6;
    for (double at = std::ceil(low_ / step_ - 1e-6) * step_; at <= end; at += step_) {
      const double value = std::abs(at) < step_ * 1e-6 ? 0 : at;
      if (scale_ == axis_scale::linear) result.push_back(value);
      if (scale_ == axis_scale::log10) result.push_back(std::pow(10, value));
      if (scale_ == axis_scale::log2) result.push_back(std::exp2(value));
    }
    return result;
  }

 private:
  [[nodiscard]] double transform(double value) const {
    if (scale_ == axis_scale::linear) return value;
    const double positive = std::max(value, 1e-300);
    return scale_ == axis_scale::log10 ? std::log10(positive) : std::log2(positive);
  }
  static double nice_step(double about) {
    const double unit = std::pow(10, std::floor(std::log10(about)));
    for (const double factor : {1.0, 2.0, 5.0})
      if (factor * unit >= about * 0.999) return factor * unit;
    return 10 * unit;
  }

  axis_scale scale_;
  double from_, to_;
  double low_ = 0, high_ = 1, step_ = 1;
};

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

struct range {
  double least = INFINITY, greatest = -INFINITY;

  void take(double value) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  [[nodiscard]] bool empty() const { return least > greatest; }
};

bool can_show(const axis& shown, double value) {
  return std::isfinite(value) && (shown.scale == axis_scale::linear || value > 0);
}

class drawing {
 public:
  explicit drawing(const chart& what)
      : what_(what),
        rows_(legend_rows()),
        height_(top + plot_height + axis_room + legend_line * static_cast<double>(rows_.size())),
        x_(make_ruler(what.x, true)),
        y_(make_ruler(what.y, false)) {}

  std::string svg() {
    open();
    axes();
    // Bars are drawn behind the other series, bounds in front of them.
    for (const auto style :
         {series_style::bars, series_style::line, series_style::points, series_style::bound})
      for (std::size_t i = 0; i < what_.all.size(); ++i)
        if (what_.all[i].style == style) draw(what_.all[i], i);
    if (!any_) text(width / 2, top + plot_height / 2, "middle", "no data");
    legend();
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] ruler make_ruler(const axis& shown, bool horizontal) const {
    range all;
    for (const auto& each : what_.all)
      for (const auto& p : each.points) {
        if (!can_show(what_.x, p.x) || !can_show(what_.y, p.y)) continue;
        if (horizontal) {
          all.take(p.x);
          continue;
        }
        all.take(p.y);
        for (const auto& end : {p.low, p.high})
          if (end && can_show(shown, *end)) all.take(*end);
        if (each.style == series_style::bars && shown.scale == axis_scale::linear) all.take(0);
      }
    if (all.empty()) all = {1, 10};
    if (horizontal) return {shown, all.least, all.greatest, left, width - right};
    return {shown, all.least, all.greatest, top + plot_height, top};
  }

  void open() {
    out_ += fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {:g} {:g}\" "
        "width=\"{:g}\" height=\"{:g}\" role=\"img\" font-family=\"system-ui, sans-serif\" "
        "font-size=\"12\">\n<title>{}</title>\n",
        width, height_, width, height_, escape_markup(what_.title));
    out_ += "<style>\n" + style("#ffffff", "#1f2328", "#d8dee4", light_palette);
    out_ += "@media (prefers-color-scheme: dark) {\n" +
            style("#16181d", "#e6e6e6", "#3a3f47", dark_palette) + "}\n</style>\n";
    out_ +=
        fmt::format("<rect class=\"ground\" width=\"{:g}\" height=\"{:g}\"/>\n", width, height_);
    out_ += fmt::format(
        "<text class=\"ink\" x=\"{:g}\" y=\"24\" font-size=\"15\" font-weight=\"600\">{}</text>\n",
        left, escape_markup(what_.title));
  }

  template <class Colours>
  static std::string style(std::string_view ground, std::string_view ink, std::string_view grid,
                           const Colours& colours) {
    auto css = fmt::format(
        ".chart .ground{{fill:{0}}}\n.chart .ink{{fill:{1}}}\n"
        ".chart .grid{{stroke:{2};stroke-width:1}}\n.chart .frame{{stroke:{1};stroke-width:1}}\n",
        ground, ink, grid);
    for (std::size_t i = 0; i < colours.size(); ++i)
      css += fmt::format(
          ".chart .l{0}{{stroke:{1};fill:none;stroke-width:2}}\n.chart .m{0}{{fill:{1}}}\n", i,
          colours[i]);
    return css;
  }

  void text(double x, double y, std::string_view anchor, std::string_view content) {
    out_ +=
        fmt::format("<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                    x, y, anchor, escape_markup(content));
  }
  void segment(std::string_view style, double x1, double y1, double x2, double y2) {
    out_ += fmt::format(
        "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1,
        y1, x2, y2);
  }

  void axes() {
    const double bottom = top + plot_height;
    for (const double value : y_.ticks()) {
      segment("grid", left, y_.place(value), width - right, y_.place(value));
      text(left - 8, y_.place(value) + 4, "end", tick_label(value));
    }
    for (const double value : x_.ticks()) {
      segment("grid", x_.place(value), top, x_.place(value), bottom);
      if (what_.x.names.empty()) {
        text(x_.place(value), bottom + 18, "middle", tick_label(value));
        continue;
      }
      // In two rows, as names may be long.
      const auto place = static_cast<std::size_t>(value);
      text(x_.place(value), bottom + (place % 2 == 0 ? 18 : 33), "middle", what_.x.names[place]);
    }
    segment("frame", left, bottom, width - right, bottom);
    segment("frame", left, top, left, bottom);
    text((left + width - right) / 2, bottom + 38, "middle", what_.x.label);
    out_ += fmt::format(
        "<text class=\"ink\" transform=\"translate(18 {:.1f}) rotate(-90)\" "
        "text-anchor=\"middle\">{}</text>\n",
        top + plot_height / 2, escape_markup(what_.y.label));
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
        segment(fmt::format("l{}", index % light_palette.size()), x_.place(p.x), y_.place(*p.low),
                x_.place(p.x), y_.place(*p.high));
      if (each.style == series_style::points || shown.size() <= most_marks)
        mark(x_.place(p.x), y_.place(p.y), index);
    }
  }

  void path(const std::vector<point>& points, series_style style, std::size_t index) {
    if (points.empty()) return;
    out_ += fmt::format("<path class=\"l{}\"", index % light_palette.size());
    if (style == series_style::bound) out_ += " stroke-dasharray=\"7 5\"";
    out_ += " d=\"";
    for (std::size_t i = 0; i < points.size(); ++i)
      out_ += fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', x_.place(points[i].x),
                          y_.place(points[i].y));
    out_ += "\"/>\n";
  }

  void bars(const std::vector<point>& points, std::size_t index) {
    double distance = width - right - left;
    for (std::size_t i = 1; i < points.size(); ++i)
      distance = std::min(distance, x_.place(points[i].x) - x_.place(points[i - 1].x));
    const double wide = std::clamp(distance - 2, 1.0, 60.0);
    for (const auto& p : points) {
      const double from = std::max(x_.place(p.x) - wide / 2, left);
      const double to = std::min(x_.place(p.x) + wide / 2, width - right);
      out_ += fmt::format(
          "<rect class=\"m{}\" opacity=\"0.75\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
          "height=\"{:.1f}\"/>\n",
          index % light_palette.size(), from, y_.place(p.y), to - from,
          y_.bottom() - y_.place(p.y));
    }
  }

  void mark(double x, double y, std::size_t index) {
    const auto colour = fmt::format("m{}", index % light_palette.size());
    switch (index % 4) {
      case 0:
        out_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>\n",
                            colour, x, y);
        break;
      case 1:
        out_ += fmt::format(
            "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"6.4\" height=\"6.4\"/>\n", colour,
            x - 3.2, y - 3.2);
        break;
      case 2:
        out_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l4.4 7.6h-8.8z\"/>\n", colour, x,
                            y - 4.6);
        break;
      default:
        out_ +=
            fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z\"/>\n",
                        colour, x, y - 4.6);
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
        const auto line = fmt::format("l{}", i % light_palette.size());
        if (each.style == series_style::bars)
          out_ += fmt::format(
              "<rect class=\"m{}\" opacity=\"0.75\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"24\" "
              "height=\"10\"/>\n",
              i % light_palette.size(), x, y - 5);
        else if (each.style == series_style::bound)
          path_in_legend(line, " stroke-dasharray=\"7 5\"", x, y);
        else if (each.style == series_style::line)
          path_in_legend(line, "", x, y);
        if (each.style == series_style::line || each.style == series_style::points)
          mark(x + 12, y, i);
        text(x + 30, y + 4, "start", each.name);
        x += legend_width(each);
      }
      y += legend_line;
    }
  }
  void path_in_legend(std::string_view style, std::string_view dashes, double x, double y) {
    out_ += fmt::format("<path class=\"{}\"{} d=\"M{:.1f} {:.1f}h24\"/>\n", style, dashes, x, y);
  }

  const chart& what_;
  std::vector<std::vector<std::size_t>> rows_;
  double height_;
  ruler x_, y_;
  std::string out_;
  bool any_ = false;
};

}  // namespace

std::string to_svg(const chart& what) { return drawing(what).svg(); }

}  // namespace heist::report
