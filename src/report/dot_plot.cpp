#include "report/dot_plot.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "report/markup.hpp"
#include "report/ruler.hpp"
#include "report/svg.hpp"

namespace heist::report {

namespace {

constexpr double width = 760, top = 44, line = 22, axis_room = 46, legend_line = 20;
constexpr double margin = 16, letter = 6.7, value_room = 70;
constexpr std::size_t longest_name = 44;  // longer names are cut

std::string shown_name(const std::string& name) {
  if (name.size() <= longest_name) return name;
  std::size_t end = longest_name - 1;
  while ((static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
  return name.substr(0, end) + "\xE2\x80\xA6";
}

class dots_drawing {
 public:
  explicit dots_drawing(const dot_plot& what)
      : what_(what),
        left_(margin + name_room(what)),
        bottom_(top + line * static_cast<double>(what.dots.size())),
        x_(make_ruler()) {}

  std::string svg() {
    const double legend = legend_line * static_cast<double>(what_.series.size());
    canvas_.open(what_.title, width, bottom_ + axis_room + legend, margin);
    axes();
    for (std::size_t i = 0; i < what_.dots.size(); ++i)
      draw(what_.dots[i], top + line * (static_cast<double>(i) + 0.5));
    for (std::size_t i = 0; i < what_.series.size(); ++i) {
      const double y = bottom_ + axis_room + legend_line * static_cast<double>(i);
      canvas_.mark(left_ + 6, y, i);
      canvas_.text(left_ + 20, y + 4, "start", what_.series[i]);
    }
    return std::move(canvas_).close();
  }

 private:
  static double name_room(const dot_plot& what) {
    std::size_t longest = 4;
    for (const auto& each : what.dots) longest = std::max(longest, each.name.size());
    return letter * static_cast<double>(std::min(longest, longest_name)) + 12;
  }

  [[nodiscard]] ruler make_ruler() const {
    double least = INFINITY, greatest = -INFINITY;
    const auto take = [&](double value) {
      if (!can_show(what_.x.scale, value)) return;
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    };
    for (const auto& each : what_.dots) {
      take(each.value);
      take(each.low.value_or(each.value));
      take(each.high.value_or(each.value));
    }
    if (what_.reference) take(*what_.reference);
    if (least > greatest) least = 1, greatest = 10;
    return {what_.x, least, greatest, left_, width - value_room};
  }

  void axes() {
    for (const double value : x_.ticks()) {
      canvas_.segment("grid", x_.place(value), top, x_.place(value), bottom_);
      canvas_.text(x_.place(value), bottom_ + 18, "middle", tick_label(value));
    }
    canvas_.segment("frame", left_, bottom_, width - value_room, bottom_);
    canvas_.text((left_ + width - value_room) / 2, bottom_ + 36, "middle", what_.x.label);
    if (what_.reference && x_.shows(*what_.reference))
      canvas_.add(
          fmt::format("<path class=\"{}\" stroke-dasharray=\"7 5\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n",
                      line_class(7), x_.place(*what_.reference), top, bottom_));
  }

  void draw(const dot& each, double y) {
    canvas_.text(left_ - 10, y + 4, "end", shown_name(each.name));
    if (!x_.shows(each.value)) {
      canvas_.text(width - value_room + 8, y + 4, "start", "-");
      return;
    }
    canvas_.segment("grid", left_, y, x_.place(each.value), y);
    if (each.low && each.high && x_.shows(*each.low) && x_.shows(*each.high))
      canvas_.segment(line_class(each.series), x_.place(*each.low), y, x_.place(*each.high), y);
    canvas_.mark(x_.place(each.value), y, each.series);
    canvas_.text(width - value_room + 8, y + 4, "start", figure(each.value));
  }

  const dot_plot& what_;
  double left_, bottom_;
  ruler x_;
  svg_canvas canvas_;
};

}  // namespace

std::string to_svg(const dot_plot& what) { return dots_drawing(what).svg(); }

}  // namespace heist::report
