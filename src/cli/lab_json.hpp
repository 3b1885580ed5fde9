// What `heist lab` found, as JSON.
#pragma once

#include <string>

#include "calibration/costs.hpp"
#include "calibration/forecast.hpp"

namespace heist::cli {

// A file with costs: docs/costs.schema.json.
[[nodiscard]] std::string to_json(const calibration::measured_costs& costs);

// Objects on a line of their own.
[[nodiscard]] std::string to_json(const calibration::checked_row& row);
[[nodiscard]] std::string to_json(const calibration::forecast_row& row);

}  // namespace heist::cli
