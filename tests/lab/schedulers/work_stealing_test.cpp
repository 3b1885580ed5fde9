// The work-stealing algorithm: dollars, determinism, its variants.
#include <gtest/gtest.h>

#include "lab/schedulers/ready_deque.hpp"
#include "support.hpp"

using namespace heist::lab;

namespace {

run_settings stealing(std::uint32_t p, std::uint64_t seed = 1) {
  return settings_of(scheduler_kind::work_stealing, p, engine_kind::best, seed);
}

std::vector<stealing_settings> variants() {
  std::vector<stealing_settings> all(7);
  all[1].access = access_model::reject;
  all[2].amount = steal_amount::half;
  all[3].amount = steal_amount::k;
  all[3].k = 3;
  all[3].answers = answer_order::last;
  all[4].victims = victim_choice::nearest;
  all[4].machine.latency = {1, 2, 10, 50};
  all[5].victims = victim_choice::lifeline;
  all[6].victims = victim_choice::lifeline;
  all[6].access = access_model::reject;
  all[6].machine.latency = {2, 2, 9, 9};
  all[6].amount = steal_amount::half;
  return all;
}

}  // namespace

TEST(ReadyDeque, HasAnOwnersEndAndAThievesEnd) {
  ready_deque deque;
  for (thread_id i = 0; i < 200; ++i) deque.push_bottom(i);
  for (thread_id i = 0; i < 150; ++i) EXPECT_EQ(deque.pop_top(), i);
  EXPECT_EQ(deque.size(), 50u);
  EXPECT_EQ(deque[0], 150u);
  EXPECT_EQ(deque.pop_bottom(), 199u);
  deque.push_bottom(7);
  EXPECT_EQ(deque.pop_bottom(), 7u);
  for (thread_id i = 150; i < 199; ++i) EXPECT_EQ(deque.pop_top(), i);
  EXPECT_TRUE(deque.empty());
}

TEST(WorkStealing, OnOneProcessorIsTheSerialRun) {
  const auto of = make_computation("fib:15");
  const auto m = of->measure();
  const auto result = of->run(stealing(1));
  EXPECT_EQ(result.steps, m.work);
  EXPECT_EQ(result.attempts, 0u);
  EXPECT_EQ(result.peak_space, m.stack_depth);
}

// The step-by-step story of two processors and a root with one child of three instructions: step 1:
// p1 spawns, p2 asks it and gets the parent; steps 2 to 4: p1 runs the child, step 2: p2 runs the
// filler and stalls; steps 3 and 4 (5 not): it asks; step 4: the child dies and enables the parent,
// which goes to the bottom of p1's deque and from there to p1 at once; step 5: the sync.
TEST(WorkStealing, TellsTheStoryOfTwoProcessors) {
  const auto result = run("tree:1,1,3", stealing(2));
  EXPECT_EQ(result.steps, 5u);
  EXPECT_EQ(result.work, 6u);
  EXPECT_EQ(result.steals, 1u);
  EXPECT_EQ(result.attempts, 4u);  // in steps 1, 3, 4 and 5
  EXPECT_EQ(result.wait, 0u);
  EXPECT_EQ(result.resumed, 1u);
  EXPECT_EQ(result.idle, 0u);
}

TEST(WorkStealing, SpendsADollarForEachProcessorAndStep) {
  for (const std::string name : {"fib:13", "wide:40,30,200", "figure1"}) {
    const auto of = make_computation(name);
    for (const auto& variant : variants()) {
      for (const auto engine : {engine_kind::step, engine_kind::event}) {
        for (const std::uint32_t p : {1U, 2U, 7U, 64U}) {
          auto settings = stealing(p);
          settings.stealing = variant;
          settings.engine = engine;
          const auto r = of->run(settings);
          EXPECT_EQ(r.work, of->measure().work);
          EXPECT_EQ(r.work + r.attempts + r.wait + r.idle, p * r.steps);
          EXPECT_LE(r.idle, p * r.steps);
          EXPECT_LE(r.steals, r.attempts + r.idle);
          EXPECT_GE(r.threads_stolen, r.steals);
        }
      }
    }
  }
}

// Thieves take the eight threads that the spine leaves them before it ends, and some more while it
// leaves others; the rest is for one processor. A tree that halves its work loses nothing.
TEST(WorkStealing, LazilyRecordedForksLoseASpineAndNoTree) {
  const auto steps = [](const std::string& name, std::uint32_t lazy) {
    auto settings = settings_of(scheduler_kind::child_stealing, 8, engine_kind::best, 1);
    settings.stealing.lazy = lazy;
    return make_computation(name)->run(settings).steps;
  };
  const std::string spine = "wide:200,1000,10";
  EXPECT_LT(steps(spine, 0), 200'000u / 8 * 11 / 10);
  EXPECT_GT(steps(spine, 8), 200'000u * 9 / 10);
  EXPECT_LT(steps(spine, 200), 200'000u / 8 * 11 / 10);  // more than there ever are
  for (const std::string tree : {"tree:2,12,20", "fib:18"})
    EXPECT_LE(steps(tree, 8), steps(tree, 0) * 101 / 100);
}

TEST(WorkStealing, GivesTheSameResultForTheSameSeedAndOthersForOthers) {
  const auto of = make_computation("fib:16");
  for (const auto& variant : variants()) {
    auto settings = stealing(30, 5);
    settings.stealing = variant;
    const auto first = of->run(settings);
    EXPECT_EQ(first, of->run(settings));
    int differing = 0;
    for (settings.seed = 6; settings.seed < 11; ++settings.seed)
      differing += of->run(settings) == first ? 0 : 1;
    EXPECT_GT(differing, 0);
  }
}

TEST(WorkStealing, KeepsItsBoundsOnEveryVariantAndSeed) {
  for (const std::string name : {"figure1", "fib:12", "tree:3,4,6", "wide:30,9,70", "chain:30"}) {
    const auto of = make_computation(name);
    for (const auto& variant : variants()) {
      for (const std::uint32_t p : {1U, 2U, 5U, 33U}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          auto settings = stealing(p, seed);
          settings.stealing = variant;
          check_report report;
          const auto checked = of->run_checked(settings, report);
          settings.engine = engine_kind::step;
          auto plain = of->run(settings);
          plain.instructions = checked.instructions;  // unrolled, one of weight w is w
          EXPECT_EQ(checked, plain) << name << ' ' << p;
          EXPECT_EQ(report.runs, 1u);
        }
      }
    }
  }
}

TEST(WorkStealing, NeedsNoMoreThanTheBoundWithMoreProcessors) {
  const auto of = make_computation("fib:18");
  const auto m = of->measure();
  double before = 1e300;
  for (std::uint32_t p = 1; p <= 256; p *= 4) {
    double steps = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      steps += static_cast<double>(of->run(stealing(p, seed)).steps) / 10;
    EXPECT_LT(steps, before);
    EXPECT_LE(steps, static_cast<double>(m.work) / p + 4 * static_cast<double>(m.span));
    before = steps;
  }
}

TEST(ChildStealing, HoldsAllChildrenOfALoopWhereWorkStealingHoldsOneThread) {
  const auto of = make_computation("wide:1000,1,1");
  EXPECT_EQ(of->run(stealing(1)).peak_queue, 1u);
  EXPECT_EQ(of->run(settings_of(scheduler_kind::child_stealing, 1)).peak_queue, 1000u);
}

TEST(StealHalf, MovesMoreWithFewerSteals) {
  const auto of = make_computation("wide:4000,50,50");
  auto settings = settings_of(scheduler_kind::child_stealing, 8);
  const auto one = of->run(settings);
  settings.stealing.amount = steal_amount::half;
  const auto half = of->run(settings);
  EXPECT_LT(half.steals * 3, one.steals);
  EXPECT_GT(half.threads_stolen, half.steals * 2);
  EXPECT_EQ(one.threads_stolen, one.steals);
}

// Its deques have 300 threads at most.
TEST(StealK, WithAnAmountThatIsRarelyThereIsLikeStealingOne) {
  const auto of = make_computation("tree:300,2,50");
  auto settings = settings_of(scheduler_kind::child_stealing, 8);
  const auto steals = [&](steal_amount amount, std::uint32_t k) {
    settings.stealing.amount = amount;
    settings.stealing.k = k;
    return static_cast<double>(of->run(settings).steals);
  };
  const double one = steals(steal_amount::one, 1);
  EXPECT_LT(4 * steals(steal_amount::k_or_one, 32), one);
  EXPECT_NEAR(steals(steal_amount::k_or_one, 300), one, one / 5);
  EXPECT_EQ(steals(steal_amount::k_or_one, 1), one);
  EXPECT_GT(steals(steal_amount::k, 300), 5 * one);
}

TEST(NearestVictims, SendFewerRequestsFar) {
  const auto of = make_computation("fib:20");
  auto settings = stealing(256);
  settings.stealing.machine.latency = {1, 5, 25, 125};
  const auto random = of->run(settings);
  settings.stealing.victims = victim_choice::nearest;
  const auto nearest = of->run(settings);
  EXPECT_LT(nearest.wait / nearest.attempts, random.wait / random.attempts);
}

TEST(Lifelines, LetThievesSleepInsteadOfAsking) {
  const auto of = make_computation("chain:5000");
  auto settings = stealing(64);
  const auto awake = of->run(settings);
  settings.stealing.victims = victim_choice::lifeline;
  const auto asleep = of->run(settings);
  EXPECT_GT(awake.attempts, 63u * 2000);
  EXPECT_LE(asleep.attempts, 63u * 2);
  EXPECT_EQ(asleep.steps, 5000u);
}
