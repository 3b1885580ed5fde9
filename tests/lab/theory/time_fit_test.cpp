// The constants of T = c1 T1/P + cinf Tinf.
#include "lab/experiments/time_fit.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <heist/error.hpp>

#include "lab/model/random.hpp"

namespace {

using heist::lab::fit_times;
using heist::lab::fitted_run;
using heist::lab::rng;

TEST(FitTimes, FindsTheConstantsThatMadeTheTimes) {
  std::vector<fitted_run> runs;
  rng random(6);
  for (const double work : {1e5, 1e6, 1e7})
    for (double processors = 1; processors <= 1024; processors *= 2) {
      const double span = std::sqrt(work);
      const double noise = 1 + 0.02 * (random.unit() - 0.5);
      runs.push_back({work / processors, span, (1.1 * work / processors + 2.5 * span) * noise});
    }
  const auto fit = fit_times(runs);
  EXPECT_NEAR(fit.c1, 1.1, 4 * fit.c1_error);
  EXPECT_NEAR(fit.cinf, 2.5, 4 * fit.cinf_error);
  EXPECT_LT(fit.c1_error, 0.01);
  EXPECT_LT(fit.worst, 0.03);
  EXPECT_THROW((void)fit_times({{1, 1, 0}}), heist::usage_error);
}

}  // namespace
