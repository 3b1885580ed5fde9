// Kernels against yields: with the yield that the theorem asks for, runs end within a small
// multiple of the bound; without any, those that know where the work is stop everything.
#include "lab/experiments/kernel_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <heist/error.hpp>

#include "lab/catalog/computation.hpp"
#include "lab/catalog/kernels.hpp"
#include "lab/checks/kernel_checker.hpp"
#include "lab/checks/run_checker.hpp"
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

// ---- The checks of runs under a kernel: every run passes them, and what would break them is told.

namespace {

using namespace heist::lab;
using testing::HasSubstr;

template <class Function>
std::string violation(Function f) {
  try {
    f();
  } catch (const check_error& error) {
    return error.what();
  }
  return "none";
}

TEST(KernelChecker, FindsNothingWrongWithRunsUnderAnyKernel) {
  for (const std::string name :
       {"fib:12", "figure1", "wide:30,9,70", "random-strict:500,3", "random-general:500,1"}) {
    const auto of = make_computation(name);
    kernel_checker checker(of->measure());
    std::uint64_t runs = 0;
    for (const auto& kernel : kernels())
      for (const auto scheduler : {user_scheduler::abp, user_scheduler::greedy})
        for (const auto yield : {yield_policy::none, yield_policy::to_random, yield_policy::to_all})
          for (const std::uint32_t p : {2U, 7U, 24U}) {
            kernel_settings settings;
            settings.scheduler = scheduler;
            settings.kernel = std::string(kernel.name);
            settings.processes = p;
            settings.yield = yield;
            settings.patience = 2000;
            settings.observer = &checker;
            const auto result = of->run_under_kernel(settings);
            checker.finish(settings, result);
            EXPECT_EQ(checker.runs(), ++runs);
          }
    EXPECT_GT(checker.deepest(), 1U);
    EXPECT_LE(checker.deepest(), of->measure().span) << name;
  }
}

// A root that spawned threads 1 and 2 one after the other: 1 at depth 2, the root then at depth 3,
// 2 too.
class Deques : public testing::Test {
 protected:
  void SetUp() override {
    checker_.start(0);
    checker_.executed(0, 1, {.spawned = 1});
    checker_.executed(0, 1, {.spawned = 2});
  }
  [[nodiscard]] std::string with(thread_id running, const std::vector<thread_id>& from_the_top) {
    std::vector<ready_deque> deques(1);
    for (const auto thread : from_the_top) deques[0].push_bottom(thread);
    return violation([&] { checker_.end_step(4, {running}, deques); });
  }

  kernel_checker checker_{measures{.work = 10, .span = 5}};
};

TEST_F(Deques, AreInOrderOfDepth) {
  EXPECT_EQ(with(no_id, {}), "none");
  EXPECT_EQ(with(2, {1}), "none");
  EXPECT_EQ(with(2, {1, 0}), "none");  // the bottom may be as deep as what is executed
  EXPECT_THAT(with(no_id, {1}),
              HasSubstr("after step 4, process 1: depths out of order: it executes nothing"));
  EXPECT_THAT(with(1, {2}), HasSubstr("it executes 2, its deque has from the bottom: 3"));
  EXPECT_THAT(with(2, {0, 1}), HasSubstr("depths out of order"));
  EXPECT_THAT(with(2, {1, 0, 2}), HasSubstr("from the bottom: 3 3 2"));  // but no two in a deque
}

TEST_F(Deques, AreNotDeeperThanTheSpan) {
  EXPECT_EQ(violation([&] { checker_.executed(2, 3, {.thread = outcome::fate::died}); }), "none");
  EXPECT_THAT(violation([&] { checker_.executed(2, 4, {}); }),
              HasSubstr("an instruction at depth 6, and Tinf is 5"));
}

TEST(KernelChecker, TellsWhatAKernelMustNotDo) {
  kernel_checker checker(measures{});
  EXPECT_EQ(violation([&] { checker.note_choice(1, {2, 0}, 3); }), "none");
  EXPECT_EQ(violation([&] { checker.note_choice(2, {0}, 3); }), "none");
  EXPECT_THAT(violation([&] {
                checker.note_choice(3, {1, 1}, 3);
              }),
              HasSubstr("step 3: the kernel gives process 2 two processors"));
  EXPECT_THAT(violation([&] { checker.note_choice(4, {3}, 3); }),
              HasSubstr("there is no such process"));
}

// A greedy run of 20 steps on 4 processes that keeps everything; then one number is changed at a
// time.
TEST(KernelChecker, TellsWhatARunMustHave) {
  const auto changed = [](auto change) {
    kernel_checker checker(measures{.work = 50, .span = 15});
    kernel_settings settings;
    settings.scheduler = user_scheduler::greedy;
    settings.kernel = "lower-bound:5";
    settings.processes = 4;
    kernel_result result;
    result.run = {.processors = 4, .steps = 20, .work = 50, .idle = 10, .scheduled = 60};
    change(settings, result);
    return violation([&] { checker.finish(settings, result); });
  };
  EXPECT_EQ(changed([](auto&, auto&) {}), "none");
  EXPECT_THAT(changed([](auto&, auto& of) { ++of.run.idle; }),
              HasSubstr("50 + 0 + 11 dollars, and the kernel gave 60"));
  EXPECT_THAT(changed([](auto&, auto& of) { --of.run.work, ++of.run.idle; }),
              HasSubstr("WORK is 49 and T1 50"));
  EXPECT_THAT(changed([](auto&, auto& of) { of.run.steps = 14; }),
              HasSubstr("fewer than Tinf = 15"));
  EXPECT_THAT(changed([](auto&, auto& of) { of.run.scheduled = 96, of.run.idle = 46; }),
              HasSubstr("more than T1 + Tinf (P - 1) = 50 + 15 * 3"));
  EXPECT_THAT(changed([](auto&, auto& of) { of.run.scheduled = 59, of.run.idle = 9; }),
              HasSubstr("less than Tinf P = 15 * 4"));
  EXPECT_THAT(changed([](auto& of, auto&) { of.scheduler = user_scheduler::abp; }),
              HasSubstr("PA T is 60, and the kernel gave 0 processors"));
  // A run that was given up need not have done all its work.
  EXPECT_EQ(
      changed([](auto&, auto& of) { of.run.work = 7, of.run.idle = 53, of.is_finished = false; }),
      "none");
}

}  // namespace
