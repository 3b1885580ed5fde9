#include "report/svg.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "report/markup.hpp"
#include "report/palette.hpp"
#include "report/ruler.hpp"

namespace heist::report {

namespace {

template <class Colours>
std::string style_of(std::string_view ground, std::string_view ink, std::string_view grid,
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

}  // namespace

void svg_canvas::open(std::string_view title, double width, double height, double title_x) {
  text_ += fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {:g} {:g}\" "
      "width=\"{:g}\" height=\"{:g}\" role=\"img\" font-family=\"system-ui, sans-serif\" "
      "font-size=\"12\">\n<title>{}</title>\n",
      width, height, width, height, escape_markup(title));
  text_ += "<style>\n" + style_of("#ffffff", "#1f2328", "#d8dee4", light_palette);
  text_ += "@media (prefers-color-scheme: dark) {\n" +
           style_of("#16181d", "#e6e6e6", "#3a3f47", dark_palette) + "}\n</style>\n";
  text_ += fmt::format("<rect class=\"ground\" width=\"{:g}\" height=\"{:g}\"/>\n", width, height);
  text_ += fmt::format(
      "<text class=\"ink\" x=\"{:g}\" y=\"24\" font-size=\"15\" font-weight=\"600\">{}</text>\n",
      title_x, escape_markup(title));
}

void svg_canvas::text(double x, double y, std::string_view anchor, std::string_view content) {
  text_ +=
      fmt::format("<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x,
                  y, anchor, escape_markup(content));
}

void svg_canvas::segment(std::string_view style, double x1, double y1, double x2, double y2) {
  text_ +=
      fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                  style, x1, y1, x2, y2);
}

void svg_canvas::mark(double x, double y, std::size_t series) {
  const auto colour = area_class(series);
  switch (series % 4) {
    case 0:
      text_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>\n", colour,
                           x, y);
      break;
    case 1:
      text_ += fmt::format(
          "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"6.4\" height=\"6.4\"/>\n", colour,
          x - 3.2, y - 3.2);
      break;
    case 2:
      text_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l4.4 7.6h-8.8z\"/>\n", colour, x,
                           y - 4.6);
      break;
    default:
      text_ +=
          fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z\"/>\n",
                      colour, x, y - 4.6);
  }
}

std::string line_class(std::size_t series) {
  return fmt::format("l{}", series % light_palette.size());
}

std::string area_class(std::size_t series) {
  return fmt::format("m{}", series % light_palette.size());
}

}  // namespace heist::report

// ---- ruler.hpp

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
