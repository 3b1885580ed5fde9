// Work stealing under kernels that are adversaries: the bounds, the yields, and what happens
// without them.
#include <algorithm>
#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include <heist/error.hpp>

#include "lab/checks/kernel_checker.hpp"
#include "support.hpp"

using namespace heist::lab;
using testing::HasSubstr;

namespace {

kernel_settings under(std::string kernel, std::uint32_t processes,
                      yield_policy yield = yield_policy::to_all) {
  kernel_settings settings;
  settings.kernel = std::move(kernel);
  settings.processes = processes;
  settings.yield = yield;
  return settings;
}

// One of each name, with its default arguments.
std::vector<std::string> all_kernels() {
  std::vector<std::string> names;
  for (const auto& each : kernels()) names.emplace_back(each.name);
  return names;
}

std::vector<std::vector<std::uint32_t>> choices(std::string_view word, std::uint32_t processes,
                                                std::uint64_t span, std::uint64_t steps) {
  const auto chooser = make_kernel(word, processes, span, 1);
  const std::vector<process_state> states(processes);
  std::vector<std::vector<std::uint32_t>> all(steps);
  for (std::uint64_t step = 1; step <= steps; ++step) chooser->choose(step, states, all[step - 1]);
  return all;
}

}  // namespace

TEST(Kernels, ChooseEachProcessOnceAtMost) {
  for (const auto& name : all_kernels()) {
    for (auto& chosen : choices(name, 9, 20, 200)) {
      std::sort(chosen.begin(), chosen.end());
      EXPECT_EQ(std::adjacent_find(chosen.begin(), chosen.end()), chosen.end()) << name;
      EXPECT_TRUE(chosen.empty() || chosen.back() < 9) << name;
    }
  }
}

TEST(Kernels, SeeWhoWorksIfTheyAreAdaptive) {
  std::vector<process_state> states(6);
  states[1] = {true, 0};
  states[4] = {true, 3};
  std::vector<std::uint32_t> chosen;
  const auto choose = [&](std::string_view word) {
    make_kernel(word, 6, 10, 1)->choose(1, states, chosen);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  };
  EXPECT_EQ(choose("idle-only:4"), (std::vector<std::uint32_t>{0, 2, 3, 5}));
  EXPECT_EQ(choose("starve-victims:5"), (std::vector<std::uint32_t>{0, 1, 2, 3, 5}));
  EXPECT_EQ(choose("starve-thieves:2"), (std::vector<std::uint32_t>{1, 4}));
}

// Theorem 1's schedule, step by step, and that every schedule under it has at least Tinf P/PA
// steps.
TEST(LowerBound, IsReproducedExactly) {
  for (const std::string name : {"fib:10", "figure1", "chain:20", "random-general:400,2"}) {
    const auto of = make_computation(name);
    const auto m = of->measure();
    constexpr std::uint32_t p = 6;
    for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{7}, m.span, m.span * (p - 1)}) {
      const double average =
          static_cast<double>(m.span * p) / static_cast<double>(k + m.span);  // PA'
      const auto word = "lower-bound:" + std::to_string(k);
      const auto steps = choices(word, p, m.span, k + m.span + 50);
      for (std::uint64_t i = 1; i <= steps.size(); ++i) {
        const std::uint64_t expected = i <= k            ? 0
                                       : i <= k + m.span ? p
                                                         : static_cast<std::uint64_t>(average);
        ASSERT_EQ(steps[i - 1].size(), expected) << word << " step " << i;
      }
      for (const auto scheduler : {user_scheduler::greedy, user_scheduler::abp}) {
        auto settings = under(word, p, yield_policy::none);
        settings.scheduler = scheduler;
        const auto result = of->run_under_kernel(settings);
        ASSERT_TRUE(result.is_finished);
        const double pa = result.processor_average();
        EXPECT_LE(pa, average + 1e-9);
        EXPECT_GE(pa, std::floor(average) - 1e-9);
        EXPECT_GE(static_cast<double>(result.run.steps) * pa,
                  static_cast<double>(m.span * p) - 1e-6);
        EXPECT_GE(result.run.scheduled, m.work);
      }
    }
  }
}

TEST(GreedyUnderAKernel, KeepsTheoremTwo) {
  for (const std::string name :
       {"fib:12", "figure1", "wide:30,9,70", "random-general:500,1", "pipeline:20,6"}) {
    const auto of = make_computation(name);
    const auto m = of->measure();
    for (const auto& kernel : all_kernels()) {
      for (const std::uint32_t p : {2U, 5U, 17U}) {
        auto settings = under(kernel, p);
        settings.scheduler = user_scheduler::greedy;
        const auto result = of->run_under_kernel(settings);
        EXPECT_TRUE(result.is_finished);
        EXPECT_EQ(result.run.work, m.work);
        EXPECT_GE(result.run.scheduled, m.work);  // T >= T1/PA
        EXPECT_LE(result.run.scheduled, m.work + m.span * (p - 1))
            << kernel;  // T <= T1/PA + Tinf (P - 1)/PA
      }
    }
  }
}

TEST(Abp, FinishesUnderEveryKernelIfThievesYieldToAll) {
  for (const std::string name :
       {"fib:12", "figure1", "random-strict:700,4", "random-general:700,4", "pipeline:20,6"}) {
    const auto of = make_computation(name);
    const auto m = of->measure();
    for (const auto& kernel : all_kernels()) {
      for (const std::uint32_t p : {2U, 9U, 32U}) {
        const auto result = of->run_under_kernel(under(kernel, p));
        ASSERT_TRUE(result.is_finished) << name << ' ' << kernel;
        EXPECT_EQ(result.run.work, m.work);
        EXPECT_EQ(result.run.work + result.run.attempts + result.run.idle, result.run.scheduled);
        EXPECT_LE(static_cast<double>(result.run.steps), 4 * result.bound(m.work, m.span))
            << name << ' ' << kernel;
      }
    }
  }
}

TEST(Abp, MakesNoProgressAgainstAnAdversaryWithoutYields) {
  const auto of = make_computation("fib:14");
  for (const std::string kernel : {"starve-first:3", "starve-victims:3", "idle-only:3"}) {
    auto settings = under(kernel, 16, yield_policy::none);
    settings.patience = 5000;
    EXPECT_FALSE(of->run_under_kernel(settings).is_finished) << kernel;
    settings.yield = yield_policy::to_random;
    EXPECT_TRUE(of->run_under_kernel(settings).is_finished) << kernel;
  }
  EXPECT_TRUE(of->run_under_kernel(under("benign:3", 16, yield_policy::none)).is_finished);
}

TEST(Abp, GivesTheSameResultForTheSameSeed) {
  const auto of = make_computation("fib:14");
  auto settings = under("benign:5", 12, yield_policy::to_random);
  const auto first = of->run_under_kernel(settings);
  EXPECT_EQ(first.run, of->run_under_kernel(settings).run);
  settings.seed = 2;
  EXPECT_NE(first.run, of->run_under_kernel(settings).run);
}

TEST(Kernels, ThatGiveNothingAnyMoreAreRefused) {
  const auto of = make_computation("fib:10");
  const auto message = [&](const kernel_settings& settings) -> std::string {
    try {
      (void)of->run_under_kernel(settings);
    } catch (const heist::usage_error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message(under("lower-bound:100000", 4)), HasSubstr("k is at most 60"));
  EXPECT_THAT(message(under("benign:0", 4)), HasSubstr("n is from 1 to"));
  EXPECT_THAT(message(under("nothing", 4)), HasSubstr("unknown kernel 'nothing'"));
  EXPECT_THAT(message(under("starve-first", 1)), HasSubstr("P is 1"));
  EXPECT_THAT(message(under("dedicated", 0)), HasSubstr("P is from 1"));
}

// Looked at from outside: between a yield to all and the next step of its process, each other
// process had one.
TEST(YieldRule, ToAllLetsNobodyRunTooEarly) {
  constexpr std::uint32_t p = 7;
  yield_rule rule(yield_policy::to_all, p, 3);
  rng random(5);
  std::vector<unsigned> ran_since(p, ~0U);  // bit by process: who ran since this one's yield
  for (std::uint64_t step = 1; step <= 5000; ++step) {
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t i = 0; i < p; ++i)
      if (random.chance(1, 1 + i)) chosen.push_back(i);
    const auto wanted = chosen.size();
    rule.keep(step, chosen);
    EXPECT_LE(chosen.size(), wanted);
    EXPECT_EQ(chosen.empty(), wanted == 0);
    unsigned running = 0;
    for (const auto i : chosen) {
      const unsigned others = ((1U << p) - 1) & ~(1U << i);
      EXPECT_EQ(ran_since[i] & others, others) << "step " << step << " process " << i;
      running |= 1U << i;
    }
    for (auto& since : ran_since) since |= running;
    for (const auto i : chosen) {
      if (random.chance(1, 3)) continue;
      rule.note_yield(i, step);
      ran_since[i] = running;
    }
  }
}

TEST(YieldRule, ToRandomWaitsForOneProcessThatAnyMayBe) {
  constexpr std::uint32_t p = 5;
  constexpr int trials = 5000;
  yield_rule rule(yield_policy::to_random, p, 3);
  std::vector<int> waited_for(p, 0);
  std::uint64_t step = 0;
  const auto only = [&](std::uint32_t process) {
    std::vector<std::uint32_t> chosen = {process};
    rule.keep(++step, chosen);
    return chosen.front();
  };
  for (int i = 0; i < trials; ++i) {
    ASSERT_EQ(only(0), 0u);
    rule.note_yield(0, step);
    std::uint32_t target = 0;
    while (!rule.may_run(0)) ASSERT_EQ(only(++target), target);
    ++waited_for[target];
  }
  for (const int count : waited_for) EXPECT_NEAR(count, trials / p, 150);  // five deviations
}

// Theorem 9 leaves both choices open, and the order of the deques holds for each (the checker). In
// a computation that isn't strict they make different runs.
TEST(Choices, AreFreeAtSpawnsAndWhereThreadsAreEnabled) {
  const auto of = make_computation("random-general:3000,1");
  std::set<std::uint64_t> times;
  for (const auto spawn : {spawn_order::child_first, spawn_order::parent_first})
    for (const auto enabled : {enabled_order::queued, enabled_order::run}) {
      kernel_settings settings;
      settings.kernel = "benign:8";
      settings.processes = 16;
      settings.spawn = spawn;
      settings.enabled = enabled;
      kernel_checker checker(of->measure());
      settings.observer = &checker;
      const auto result = of->run_under_kernel(settings);
      EXPECT_TRUE(result.is_finished);
      EXPECT_NO_THROW(checker.finish(settings, result));
      EXPECT_EQ(result.run.work, 3000U);
      EXPECT_LE(static_cast<double>(result.run.steps),
                result.bound(of->measure().work, of->measure().span));
      times.insert(result.run.steps);
    }
  EXPECT_GE(times.size(), 3U);
}

// What a lock costs by itself is seen where nobody is preempted in an operation.
TEST(LockedDeques, LoseWhereTheKernelTakesTheHoldersProcessor) {
  const auto of = make_computation("fib:18");
  const auto under = [&](const char* kernel, std::uint32_t lock_steps) {
    kernel_settings settings;
    settings.kernel = kernel;
    settings.processes = 16;
    settings.lock_steps = lock_steps;
    const auto result = of->run_under_kernel(settings);
    EXPECT_TRUE(result.is_finished);
    EXPECT_EQ(result.run.work, of->measure().work);
    EXPECT_EQ(result.spins > 0, lock_steps > 1);
    EXPECT_EQ(result.run.wait > 0, lock_steps > 0);
    return static_cast<double>(result.run.steps);
  };
  EXPECT_LT(under("in-turns:4,10000", 0), 1.1 * under("in-turns:4,10", 0));
  EXPECT_GT(under("in-turns:4,10000", 5), 1.5 * under("in-turns:4,10", 5));
  // One step can't be interrupted.
  EXPECT_LT(under("in-turns:4,10000", 1), 1.1 * under("in-turns:4,10", 1));
}
