// heist theory bounds: what the theorems promise for a computation on P processors.
#pragma once

#include "cli/row_output.hpp"
#include "cli/theory/theory.hpp"
#include "lab/experiments/bounds.hpp"
#include "report/columns.hpp"

namespace heist::cli {

[[nodiscard]] report::columns<lab::bounds> bounds_columns();
[[nodiscard]] const report::view& bounds_view();  // of each format

int show_bounds(const bounds_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
