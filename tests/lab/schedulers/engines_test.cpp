// The two engines: the same results where nothing is random or every attempt is simulated, and the
// same means where attempts are aggregated.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lab/catalog/run.hpp"
#include "lab/checks/run_checker.hpp"
#include "lab/dag/known_dags.hpp"
#include "lab/dag/unroll.hpp"
#include "lab/engines/calendar.hpp"
#include "lab/model/random.hpp"
#include "lab/programs/fib.hpp"
#include "lab/programs/wide.hpp"
#include "report/statistics.hpp"
#include "support.hpp"

using namespace heist::lab;
namespace report = heist::report;

namespace {

const std::vector<std::string>& small_computations() {
  static const std::vector<std::string> all = {"figure1",    "fib:0",          "fib:13",
                                               "tree:3,5,9", "wide:50,20,300", "chain:40"};
  return all;
}

report::summary over_seeds(computation& of, run_settings settings, int seeds,
                           std::uint64_t run_result::*value) {
  std::vector<double> values;
  for (int i = 0; i < seeds; ++i) {
    ++settings.seed;
    values.push_back(static_cast<double>(of.run(settings).*value));
  }
  return report::summarize(values);
}

}  // namespace

TEST(Engines, AgreeExactlyWhereNothingIsRandom) {
  using enum scheduler_kind;
  for (const auto& name : small_computations()) {
    const auto of = make_computation(name);
    for (const auto scheduler : {busy_leaves, fifo, lifo, longest_first, shortest_first,
                                 static_blocks, interleaved, work_sharing}) {
      for (const std::uint32_t p : {1U, 2U, 3U, 8U, 100U})
        EXPECT_EQ(of->run(settings_of(scheduler, p, engine_kind::step)),
                  of->run(settings_of(scheduler, p, engine_kind::event)))
            << name << ' ' << to_string(scheduler) << ' ' << p;
    }
  }
}

TEST(Engines, AgreeExactlyWhereAttemptsAreSimulatedOneByOne) {
  stealing_settings far;
  far.machine.latency = {1, 3, 7, 300};
  stealing_settings near = far;
  near.victims = victim_choice::nearest;
  near.amount = steal_amount::half;
  stealing_settings asleep = far;
  asleep.victims = victim_choice::lifeline;
  asleep.access = access_model::reject;
  asleep.answers = answer_order::random;
  for (const auto& name : small_computations()) {
    const auto of = make_computation(name);
    for (const auto& stealing : {stealing_settings{}, far, near, asleep}) {
      for (const std::uint32_t p : {2U, 5U, 100U}) {
        auto settings = settings_of(scheduler_kind::work_stealing, p, engine_kind::step);
        settings.stealing = stealing;
        const auto by_steps = of->run(settings);
        settings.engine = engine_kind::event;
        EXPECT_EQ(by_steps, of->run(settings)) << name << ' ' << p;
      }
    }
  }
}

TEST(Engines, AgreeExactlyOnTwoProcessorsHoweverAttemptsAreCounted) {
  for (const auto& name : small_computations()) {
    const auto of = make_computation(name);
    auto settings = settings_of(scheduler_kind::work_stealing, 2, engine_kind::step);
    settings.stealing.access = access_model::reject;
    const auto by_steps = of->run(settings);
    settings.engine = engine_kind::event;
    EXPECT_EQ(by_steps, of->run(settings)) << name;
  }
}

// Eighteen comparisons at the level 1/1000 each: with these seeds none fails, and eleven do if the
// aggregated odds are a tenth too small.
TEST(Engines, AgreeInTheMeanWhereAttemptsAreAggregated) {
  for (const std::string name : {"fib:12", "wide:40,20,20"}) {
    const auto of = make_computation(name);
    for (const std::uint32_t p : {3U, 16U, 64U}) {
      auto settings = settings_of(scheduler_kind::work_stealing, p, engine_kind::step);
      settings.stealing.access = access_model::reject;
      for (const auto value : {&run_result::steps, &run_result::attempts, &run_result::steals}) {
        settings.engine = engine_kind::step;
        const auto a = over_seeds(*of, settings, 150, value);
        settings.engine = engine_kind::event;
        const auto b = over_seeds(*of, settings, 150, value);
        const auto comparison = report::compare_means(a, b, 0.999);
        EXPECT_TRUE(comparison.of_difference.holds(0))
            << name << ' ' << p << ": " << a.mean << " and " << b.mean;
      }
    }
  }
}

TEST(Engines, RefuseWhatHasNoEvents) {
  EXPECT_THROW((void)run("fib:3", settings_of(scheduler_kind::greedy, 2, engine_kind::event)),
               heist::usage_error);
  EXPECT_THROW((void)run("fib:3", settings_of(scheduler_kind::fifo, 0)), heist::usage_error);
}

TEST(Engines, TakeAMillionProcessors) {
  auto settings = settings_of(scheduler_kind::work_stealing, 1'000'000);
  settings.stealing.access = access_model::reject;
  const auto result = run("fib:15", settings);
  EXPECT_EQ(result.work, 4931u);
  EXPECT_EQ(result.work + result.attempts + result.wait + result.idle, 1'000'000 * result.steps);
}

TEST(Calendar, IsEmptyAtFirst) { EXPECT_EQ(calendar().next(), calendar::never); }

TEST(Calendar, GivesBackWhatWasAddedByStepAndNumber) {
  rng random(11);
  calendar tested;
  std::map<std::uint64_t, std::set<std::uint32_t>> expected;
  std::uint64_t now = 0;
  std::uint32_t number = 0;
  for (int round = 0; round < 20'000; ++round) {
    // Near, just within and just beyond the ring, far.
    const std::uint64_t delays[] = {1, 1 + random.below(5), 250 + random.below(12),
                                    1 + random.below(100'000)};
    for (auto adding = random.below(3); adding > 0; --adding) {
      const auto step = now + delays[random.below(4)];
      const auto processor = number++ * 7919 % 10007;
      if (!expected[step].insert(processor).second) continue;
      tested.add(step, processor);
    }
    if (expected.empty()) {
      ASSERT_EQ(tested.next(), calendar::never);
      continue;
    }
    if (random.chance(1, 3)) continue;
    const auto first = expected.begin();
    ASSERT_EQ(tested.next(), first->first);
    now = first->first;
    const auto& taken = tested.take();
    ASSERT_EQ(std::vector<std::uint32_t>(first->second.begin(), first->second.end()), taken);
    expected.erase(first);
  }
}

// ----
// The checks find what they look for: runs that break a rule, under the name of a scheduler that
// keeps it.

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
