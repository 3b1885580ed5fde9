// What the charts have in common: a titled SVG file, its colours for light and for dark
// surroundings, text, lines and marks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace heist::report {

// The classes of its style: "ground", "ink", "grid", "frame"; "l0", "l1" ... for lines, "m0" ...
// for areas in the palette's colours.
class svg_canvas {
 public:
  // The title stands at this place, and is what a screen reader says.
  void open(std::string_view title, double width, double height, double title_x);

  void text(double x, double y, std::string_view anchor, std::string_view content);
  void segment(std::string_view style, double x1, double y1, double x2, double y2);
  // Series differ in the form of their marks as well, for those who see no colours.
  void mark(double x, double y, std::size_t series);
  void add(std::string_view svg) { text_ += svg; }

  [[nodiscard]] std::string close() && { return std::move(text_ += "</svg>\n"); }

 private:
  std::string text_;
};

// The class of a series: line_class(0) is "l0". The colours repeat after the palette's end.
[[nodiscard]] std::string line_class(std::size_t series);
[[nodiscard]] std::string area_class(std::size_t series);

}  // namespace heist::report
