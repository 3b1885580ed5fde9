// The columns of `heist lab forecast`: a row for each program on processors that this machine has,
// and one on each number of processors that it hasn't. CSV has both under the same names.
#pragma once

#include "calibration/forecast.hpp"
#include "cli/row_output.hpp"
#include "report/columns.hpp"

namespace heist::cli {

[[nodiscard]] report::columns<calibration::checked_row> checked_columns();
[[nodiscard]] row_views checked_views();
[[nodiscard]] report::columns<calibration::forecast_row> forecast_columns();
[[nodiscard]] row_views forecast_views();

}  // namespace heist::cli
