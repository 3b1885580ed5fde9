#include "report/svg.hpp"

#include <fmt/format.h>

#include "report/markup.hpp"
#include "report/palette.hpp"

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
