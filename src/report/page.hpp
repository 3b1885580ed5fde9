// One experiment as one HTML file: what was run, what it shows, charts, tables, the data. The file
// loads nothing from elsewhere and contains no script.
#pragma once

#include <string>
#include <string_view>

#include "report/chart.hpp"
#include "report/table.hpp"

namespace heist::report {

class page {
 public:
  // `command` is the command line that makes the page again.
  page(std::string_view title, std::string_view command);

  page& heading(std::string_view text);
  page& paragraph(std::string_view text);
  page& add(const chart& what, std::string_view caption = "");
  page& add(const table& what);
  // Takes an SVG file as to_svg(chart) makes it, and puts it in unchanged.
  page& picture(std::string_view svg, std::string_view caption = "");
  // The results as JSON, folded away at the end.
  page& data(std::string_view json);

  [[nodiscard]] std::string html() const;

 private:
  std::string title_, body_, data_;
};

}  // namespace heist::report
