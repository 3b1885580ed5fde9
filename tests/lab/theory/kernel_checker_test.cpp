// The checks of runs under a kernel: every run passes them, and what would break them is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/catalog/computation.hpp"
#include "lab/catalog/kernels.hpp"
#include "lab/checks/kernel_checker.hpp"
#include "lab/checks/run_checker.hpp"

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
