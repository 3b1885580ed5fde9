// Prints each row when it is finished, so that an interrupt leaves whole rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/theory.hpp"
#include "report/table.hpp"

namespace heist::cli {

class row_printer {
 public:
  row_printer(output& out, report::form form, const std::vector<std::string>& columns,
              std::size_t first_width)
      : out_(out), form_(form) {
    for (const auto& column : columns) widths_.push_back(std::max<std::size_t>(column.size(), 9));
    widths_.front() = std::max(widths_.front(), first_width);
    if (form == report::form::csv) out_.print("{}", report::to_csv({"", columns, {}}));
    if (form == report::form::text) line(columns);
    out_.flush();
  }

  void add(const std::vector<std::string>& cells, const std::string& json) {
    if (form_ == report::form::json) out_.print("{}\n", json);
    if (form_ == report::form::csv) out_.print("{}", report::to_csv({"", cells, {}}));
    if (form_ == report::form::text) line(cells);
    out_.flush();
  }

 private:
  void line(const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += i == 0 ? fmt::format("{:<{}}", cells[i], widths_[i])
                     : fmt::format("  {:>{}}", cells[i], widths_[i]);
    out_.print("{}\n", text);
  }

  output& out_;
  report::form form_;
  std::vector<std::size_t> widths_;
};

}  // namespace heist::cli
