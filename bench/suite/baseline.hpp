// Holds a run of a suite against an earlier one, so that a lost order of magnitude is noticed.
#pragma once

#include <string>
#include <vector>

#include "report/results.hpp"

namespace heist::bench {

// heist's time to serial code's, in a row of both runs.
struct checked_ratio {
  std::string group, row;
  double before, now;
};

// The ratios that both runs have. Machines differ, so times are not compared, only times in units
// of serial code's. Throws usage_error, which names the file, if the baseline has no such row in
// common, or was made with another number of processors.
[[nodiscard]] std::vector<checked_ratio> compare(const report::results& found,
                                                 const report::results& baseline,
                                                 const std::string& file);

}  // namespace heist::bench
