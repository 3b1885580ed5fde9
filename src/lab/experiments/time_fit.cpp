#include "lab/experiments/time_fit.hpp"

#include <algorithm>
#include <cmath>

#include <heist/error.hpp>

#include "report/statistics.hpp"

namespace heist::lab {

time_fit fit_times(const std::vector<fitted_run>& runs) {
  std::vector<std::vector<double>> columns(2);
  for (const auto& run : runs) {
    if (!(run.time > 0)) throw usage_error("a fit of times needs times above 0");
    columns[0].push_back(run.work_share / run.time);
    columns[1].push_back(run.span / run.time);
  }
  const auto fit = report::least_squares(columns, std::vector<double>(runs.size(), 1.0));
  time_fit result{.c1 = fit.coefficients[0],
                  .c1_error = fit.errors[0],
                  .cinf = fit.coefficients[1],
                  .cinf_error = fit.errors[1],
                  .relative = fit.residuals,
                  .r_squared = fit.r_squared};
  for (const double off : fit.residuals) result.worst = std::max(result.worst, std::abs(off));
  return result;
}

}  // namespace heist::lab
