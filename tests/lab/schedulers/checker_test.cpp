// The checks find what they look for: runs that break a rule, under the name of a scheduler that
// keeps it.
#include <gtest/gtest.h>

#include "lab/catalog/run.hpp"
#include "lab/checks/run_checker.hpp"
#include "lab/dag/known_dags.hpp"
#include "lab/dag/unroll.hpp"
#include "lab/programs/fib.hpp"
#include "lab/programs/wide.hpp"
#include "support.hpp"

using namespace heist::lab;
using testing::HasSubstr;

namespace {

explicit_dag fib_dag(std::uint16_t n) {
  fork_join_threads<fib_program> threads(fib_program{n});
  return unroll(threads, "fib", 1U << 20U);
}

// What the checks for `pretended` say of a run by `real`; "" if they find nothing.
std::string complaint(const explicit_dag& dag, const run_settings& real, scheduler_kind pretended) {
  explicit_threads threads(dag);
  auto settings = real;
  settings.scheduler = pretended;
  run_checker checker(dag, settings);
  try {
    checker.finish(run_on(threads, real, checker));
  } catch (const check_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST(Checker, FindsALeafThatNobodyExecutes) {
  const auto dag = fib_dag(8);
  EXPECT_EQ(
      complaint(dag, settings_of(scheduler_kind::busy_leaves, 2), scheduler_kind::busy_leaves), "");
  EXPECT_THAT(complaint(dag, settings_of(scheduler_kind::fifo, 2), scheduler_kind::busy_leaves),
              HasSubstr("step 3: the leaf G3 of the spawn tree isn't being executed"));
}

TEST(Checker, FindsADequeThatIsNoChain) {
  // Under child stealing, a deque's threads are siblings. The leaves are looked at first, and they
  // aren't busy.
  const auto dag = fib_dag(8);
  const auto real = settings_of(scheduler_kind::child_stealing, 2);
  EXPECT_NE(complaint(dag, real, scheduler_kind::work_stealing), "");
  run_checker checker(dag, settings_of(scheduler_kind::work_stealing, 1));
  explicit_threads threads(dag);
  const auto root = threads.start();
  const auto child = threads.execute(root).spawned;
  struct {
    ready_deque deque;
    [[nodiscard]] const ready_deque& deque_of(std::uint32_t) const { return deque; }
    [[nodiscard]] std::uint64_t attempts_so_far() const { return 0; }
  } scheduler;
  scheduler.deque.push_bottom(child);
  try {
    checker.end_step(1, {root}, threads, scheduler);
    FAIL() << "the root's parent was on the deque";
  } catch (const check_error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("after step 1, processor 1: Lemma 4: not a chain of parents"));
    EXPECT_THAT(error.what(), HasSubstr("the deque from the bottom:"));
  }
}

TEST(Checker, FindsAScheduleThatIsNotGreedy) {
  fork_join_threads<wide_program> threads(wide_program{64, 100, 6400});
  const auto dag = unroll(threads, "wide", 1U << 20U);
  EXPECT_EQ(complaint(dag, settings_of(scheduler_kind::greedy, 8), scheduler_kind::greedy), "");
  EXPECT_EQ(complaint(dag, settings_of(scheduler_kind::longest_first, 8), scheduler_kind::fifo),
            "");
  // All on one processor: the plan has one block for all.
  fork_join_threads<fib_program> lonely(fib_program{12});
  const auto fib = unroll(lonely, "fib", 1U << 20U);
  EXPECT_THAT(complaint(fib, settings_of(scheduler_kind::static_blocks, 8), scheduler_kind::greedy),
              HasSubstr("more than T1/P + Tinf"));
}

TEST(Checker, FindsAResultThatDoesNotAddUp) {
  const auto dag = figure1();
  explicit_threads threads(dag);
  const auto settings = settings_of(scheduler_kind::fifo, 2);
  run_checker checker(dag, settings);
  auto result = run_on(threads, settings, checker);
  ++result.idle;
  EXPECT_THROW(checker.finish(result), check_error);
  --result.idle;
  --result.work;
  EXPECT_THROW(checker.finish(result), check_error);
}

TEST(Checker, FindsAThreadThatTwoProcessorsExecute) {
  const auto dag = figure1();
  explicit_threads threads(dag);
  run_checker checker(dag, settings_of(scheduler_kind::fifo, 2));
  threads.start();
  EXPECT_THROW(checker.begin_step(1, {0, 0}, threads), check_error);
}

TEST(Checker, ReportsWhatItSaw) {
  const auto of = make_computation("fib:15");
  check_report report;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto settings = settings_of(scheduler_kind::work_stealing, 64);
    settings.seed = seed;
    (void)of->run_checked(settings, report);
  }
  EXPECT_EQ(report.runs, 5u);
  EXPECT_GT(report.rounds, 5u);
  EXPECT_LE(report.augmented_span, 2 * of->measure().span);
  EXPECT_GT(report.augmented_span, of->measure().span);
  EXPECT_LE(report.delay_path, report.augmented_span);
  EXPECT_GE(report.longest_group, 1u);
}
