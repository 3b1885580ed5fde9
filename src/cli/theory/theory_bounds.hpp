// heist theory bounds: what the theorems promise for a computation on P processors.
#pragma once

#include <optional>

#include "cli/row_output.hpp"
#include "cli/theory/theory.hpp"
#include "lab/experiments/bounds.hpp"
#include "report/columns.hpp"

namespace heist::cli {

struct bounds_row : lab::bounds {
  std::optional<lab::greedy_lengths> tried;
};

[[nodiscard]] report::columns<bounds_row> bounds_columns();
[[nodiscard]] report::view bounds_view(const bounds_request& request);  // of each format

int show_bounds(const bounds_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
