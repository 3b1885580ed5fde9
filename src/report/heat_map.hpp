// A heat map: a table of ratios whose cells are coloured by how far they are from a middle, blue
// below it and orange above it, which those with the common colour deficiencies tell apart too.
// Each cell shows its number as well.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heist::report {

struct heat_map {
  std::string title;
  std::vector<std::string> columns = {};
  std::vector<std::string> rows = {};
  // A row of cells for each row; nothing: no figure. Positive numbers.
  std::vector<std::vector<std::optional<double>>> cells = {};
  // What has no colour. The colours are at their strongest at a fourth of it, and four times it.
  double middle = 1;

  bool operator==(const heat_map&) const = default;
};

// A whole SVG file, which can also stand inside HTML unchanged.
[[nodiscard]] std::string to_svg(const heat_map& what);

}  // namespace heist::report
