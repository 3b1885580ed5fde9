// A table of results that can be shown on a terminal, as CSV and inside an HTML page.
#pragma once

#include <string>
#include <vector>

namespace heist::report {

struct table {
  std::string title;  // "": none
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells as columns
};

// Columns are as wide as their widest cell; columns of numbers are aligned to the right.
[[nodiscard]] std::string to_text(const table& what);

// RFC 4180, but with "\n" at the ends of lines; cells with commas, quotes or line ends are quoted.
[[nodiscard]] std::string to_csv(const table& what);

[[nodiscard]] std::string to_html(const table& what);

}  // namespace heist::report
