// What `heist lab` found, as JSON.
#pragma once

#include <string>

#include "cli/lab_forecast.hpp"
#include "cli/lab_measure.hpp"

namespace heist::cli {

// A file with costs: docs/costs.schema.json.
[[nodiscard]] std::string to_json(const measured_costs& costs);

// Objects on a line of their own.
[[nodiscard]] std::string to_json(const checked_row& row);
[[nodiscard]] std::string to_json(const forecast_row& row);

}  // namespace heist::cli
