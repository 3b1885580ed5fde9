// Kernels against yields: with the yield that the theorem asks for, runs end within a small
// multiple of the bound; without any, those that know where the work is stop everything.
#include "lab/experiments/kernel_study.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <heist/error.hpp>
#include "lab/experiments/time_fit.hpp"
#include "lab/model/random.hpp"

namespace {

using heist::lab::fit_kernel_study;
using heist::lab::kernel_study_row;
using heist::lab::kernel_study_setup;
using heist::lab::kernel_words;
using heist::lab::make_computation;
using heist::lab::study_kernel;
using heist::lab::yield_policy;

constexpr kernel_study_setup few_runs{.seeds = 5, .seed = 1, .patience = 5000};

TEST(KernelWords, GiveAShareOfTheProcesses) {
  const auto words = kernel_words(16, 4, 100);
  EXPECT_EQ(words.front(), "dedicated");
  EXPECT_EQ(words.back(), "lower-bound:300");  // PA' = 100 * 16 / (300 + 100)
  EXPECT_NE(std::find(words.begin(), words.end(), "starve-thieves:4"), words.end());
  EXPECT_EQ(kernel_words(1, 1, 100).back(), "lower-bound:0");
}

TEST(StudyKernel, WithTheYieldThatSufficesEveryKernelIsWithinTheBound) {
  for (const char* word : {"random-general:2000,3", "random:2000,3", "fib:13"}) {
    const auto program = make_computation(word);
    const auto measures = program->measure();
    for (const auto& kernel : kernel_words(8, 3, measures.span))
      for (const auto yield : {yield_policy::none, yield_policy::to_random, yield_policy::to_all}) {
        const auto row = study_kernel(*program, measures, few_runs, kernel, yield, 8);
        if (!row.suffices) continue;
        EXPECT_EQ(row.given_up, 0U) << word << ' ' << kernel;
        EXPECT_LT(row.ratio.greatest, 2) << word << ' ' << kernel;
        // No run does more than PA instructions a step.
        EXPECT_GE(row.steps.mean * row.average.mean, static_cast<double>(measures.work) * 0.999);
      }
  }
}

TEST(StudyKernel, WithoutAYieldKernelsThatKnowWhereTheWorkIsStopEverything) {
  const auto program = make_computation("fib:13");
  const auto measures = program->measure();
  for (const char* kernel : {"starve-first:3", "starve-victims:3", "idle-only:3"}) {
    const auto row = study_kernel(*program, measures, few_runs, kernel, yield_policy::none, 8);
    EXPECT_EQ(row.given_up, few_runs.seeds) << kernel;
    EXPECT_FALSE(row.suffices);
    EXPECT_FALSE(row.has_ended());
  }
}

TEST(StudyKernel, WhatSufficesFollowsWhatTheKernelKnows) {
  const auto program = make_computation("chain:10");
  const auto measures = program->measure();
  const auto suffices = [&](const char* kernel, yield_policy yield) {
    return study_kernel(*program, measures, few_runs, kernel, yield, 4).suffices;
  };
  EXPECT_TRUE(suffices("benign:2", yield_policy::none));
  EXPECT_FALSE(suffices("in-turns:2", yield_policy::none));
  EXPECT_TRUE(suffices("in-turns:2", yield_policy::to_random));
  EXPECT_FALSE(suffices("starve-thieves:2", yield_policy::to_random));
  EXPECT_TRUE(suffices("starve-thieves:2", yield_policy::to_all));
  EXPECT_THROW((void)suffices("nobody", yield_policy::none), heist::usage_error);
}

// Theorem 1: against this kernel no schedule is shorter than Tinf P/PA, and PA lies from floor(PA')
// to PA'.
TEST(StudyKernel, TheLowerBoundKernelForcesTinfPOverPA) {
  for (const char* word : {"chain:60", "fib:12", "random-general:1500,2"}) {
    const auto program = make_computation(word);
    const auto measures = program->measure();
    const auto span = static_cast<double>(measures.span);
    for (const std::uint32_t given : {1U, 3U, 5U, 8U}) {
      const auto kernel = kernel_words(8, given, measures.span).back();
      const auto row = study_kernel(*program, measures, few_runs, kernel, yield_policy::none, 8);
      const auto silent = static_cast<double>(measures.span * (8 - given) / given);
      const double wanted = span * 8 / (silent + span);  // PA'
      ASSERT_EQ(row.given_up, 0U) << word << ' ' << kernel;
      for (const auto& run : row.runs) EXPECT_GE(run.time, run.span * (1 - 1e-12)) << kernel;
      EXPECT_GE(row.average.least, std::floor(wanted) - 1e-9) << kernel;
      EXPECT_LE(row.average.greatest, wanted + 1e-9) << kernel;
    }
  }
}

TEST(AdversaryFit, NeedsTwoNumbersOfProcesses) {
  const auto program = make_computation("random:2000,3");
  const auto measures = program->measure();
  std::vector<kernel_study_row> rows;
  for (const std::uint32_t processes : {4U, 32U}) {
    EXPECT_FALSE(fit_kernel_study(rows));
    rows.push_back(
        study_kernel(*program, measures, few_runs, "dedicated", yield_policy::none, processes));
  }
  const auto fit = fit_kernel_study(rows);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->relative.size(), 10U);
}

}  // namespace

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
