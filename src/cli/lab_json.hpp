// The results of `heist lab` as JSON.
#pragma once

#include <string>

#include "calibration/costs.hpp"
#include "calibration/forecast.hpp"

namespace heist::cli {

// A file with costs: docs/costs.schema.json.
[[nodiscard]] std::string to_json(const calibration::measured_costs& costs);

// One object a line.
[[nodiscard]] std::string to_json(const calibration::checked_row& row);
[[nodiscard]] std::string to_json(const calibration::forecast_row& row);

}  // namespace heist::cli
