// A table of results, once: for a terminal, as CSV, inside an HTML page.
#pragma once

#include <string>
#include <vector>

namespace heist::report {

struct table {
  std::string title;  // "" where none is wanted
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells as columns
};

// Columns as wide as their widest cell; those of numbers to the right.
[[nodiscard]] std::string to_text(const table& what);

// RFC 4180, with "\n" at the ends of lines: cells with commas, quotes or line ends are quoted.
[[nodiscard]] std::string to_csv(const table& what);

[[nodiscard]] std::string to_html(const table& what);

}  // namespace heist::report
