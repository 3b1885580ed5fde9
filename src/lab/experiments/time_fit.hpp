// The constants of T = c1 T1/P + cinf Tinf, fitted to runs of different programs on different
// numbers of processors.
#pragma once

#include <vector>

namespace heist::lab {

struct fitted_run {
  double work_share = 0;  // T1/P, or T1/PA
  double span = 0;        // Tinf, or Tinf P/PA
  double time = 0;
};
struct time_fit {
  double c1 = 0, c1_error = 0;
  double cinf = 0, cinf_error = 0;
  double worst = 0;              // largest |time - fitted| / time
  std::vector<double> relative;  // (time - fitted) / time, by run
  double r_squared = 0;
};
// Minimizes relative errors: times span orders of magnitude, and the absolute ones of the longest
// runs would drown the others.
[[nodiscard]] time_fit fit_times(const std::vector<fitted_run>& runs);

}  // namespace heist::lab
