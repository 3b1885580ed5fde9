// HEIST_PROFILE=workspan: a measurement from the first pool to the end of the process.
#pragma once

#include <memory>

#include "observe/span/work_measurement.hpp"

namespace heist::inline v0::detail {

// The measurement that a pool joins which is made now; nullptr: none. Throws usage_error for a bad
// HEIST_PROFILE.
[[nodiscard]] std::shared_ptr<work_measurement> measurement_for_a_pool();

}  // namespace heist::inline v0::detail
