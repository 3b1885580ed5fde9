// What `heist lab calibrate` writes.
#pragma once

#include <string>

#include "calibration/costs.hpp"

namespace heist::cli {

// A file with costs: docs/costs.schema.json.
[[nodiscard]] std::string to_json(const calibration::measured_costs& costs);

}  // namespace heist::cli
