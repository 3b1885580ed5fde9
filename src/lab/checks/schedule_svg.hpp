// A run of a small DAG as a picture: a row for each processor and one for the pool, time to the
// right, a colour for each thread.
#pragma once

#include <string>
#include <string_view>

#include "lab/checks/schedule.hpp"
#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

[[nodiscard]] std::string schedule_to_svg(std::string_view title, const schedule& steps,
                                          const explicit_dag& dag);

}  // namespace heist::lab
