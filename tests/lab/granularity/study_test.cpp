// Loops cut into tasks: answers that can be worked out by hand, bounds, and what the experiment is
// about: the valley between too few tasks and too many, and the tail that long tasks first make
// short.
#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <heist/error.hpp>

#include "lab/experiments/granularity_costs.hpp"
#include "lab/experiments/granularity_study.hpp"

namespace {

using namespace heist::lab;

granularity_setup loop_of(cost_kind costs, std::uint32_t queue_cost = 0) {
  granularity_setup setup;
  setup.processors = 8;
  setup.work = 8'000'000;
  setup.costs = costs;
  setup.finest = 64;
  setup.queue_cost = queue_cost;
  setup.seeds = 5;
  return setup;
}

granularity_row study(const granularity_setup& setup, task_scheduler scheduler,
                      std::uint32_t factor, hint_kind hint = hint_kind::exact) {
  return study_granularity(setup, scheduler, hint, factor);
}

// Every step of every processor is the loop's, overhead or idle.
TEST(Granularity, EveryStepIsAccountedFor) {
  for (const auto& costs : cost_names())
    for (const auto& scheduler : task_schedulers())
      for (const std::uint32_t factor : {1U, 3U, 64U}) {
        const auto setup = loop_of(costs.kind, 100);
        const auto row = study(setup, scheduler.kind, factor);
        for (const auto& values : {row.balance, row.overhead, row.idle}) {
          EXPECT_GE(values.least, 0) << scheduler.name;
          EXPECT_LE(values.greatest, 1) << scheduler.name;
        }
        if (row.time.count > 1) continue;  // then means, of quotients
        const double efficiency = static_cast<double>(setup.work) / 8 / row.time.mean;
        EXPECT_NEAR(efficiency + row.overhead.mean + row.idle.mean, 1, 1e-9) << scheduler.name;
      }
}

// No schedule is shorter than T1/P or than its longest task. The root's spawns take a step each, on
// the way to the last one.
TEST(Granularity, QueuesThatCostNothingAreGreedy) {
  using enum task_scheduler;
  for (const auto& costs : cost_names())
    for (const auto scheduler : {guided, fifo, lifo, longest_first, shortest_first}) {
      auto setup = loop_of(costs.kind);
      setup.seeds = 1;
      for (const std::uint32_t factor : {1U, 8U, 64U}) {
        const auto row = study(setup, scheduler, factor);
        const double spawns = row.tasks.mean + 2;
        const double share = static_cast<double>(setup.work) / 8;
        EXPECT_GE(row.time.mean, share);
        EXPECT_LE(row.tail.mean, row.time.mean);
        EXPECT_LE(row.time.mean, share + row.tail.mean + spawns)
            << to_string(scheduler) << ' ' << costs.name << ' ' << factor;
      }
    }
}

TEST(Granularity, EqualTasksDealtOutEvenlyAreDoneTogether) {
  for (const auto scheduler : {task_scheduler::blocks, task_scheduler::interleaved})
    for (const std::uint32_t factor : {1U, 4U, 64U}) {
      const auto row = study(loop_of(cost_kind::equal), scheduler, factor);
      EXPECT_EQ(row.time.count, 1U);  // no chance in it
      EXPECT_EQ(row.balance.mean, 1);
      // Processor 1 spawns them first: a step for each, one for the sync and one after it.
      EXPECT_EQ(row.time.mean, 1'000'000 + 8 * factor + 2);
    }
}

TEST(Granularity, AnExclusiveQueueServesOneAtATime) {
  const auto setup = loop_of(cost_kind::exponential, 5000);
  const auto exclusive = study(setup, task_scheduler::fifo, 64);
  EXPECT_GE(exclusive.time.least, 8 * 64 * 5000);
  auto shared_setup = setup;
  shared_setup.queue = queue_kind::shared;
  const auto shared = study(shared_setup, task_scheduler::fifo, 64);
  EXPECT_LT(shared.time.greatest, 8 * 64 * 5000);
  EXPECT_GE(shared.time.least, 1'000'000 + 64 * 5000);  // everybody pays for his own
}

TEST(Granularity, HasAValleyBetweenFewTasksAndMany) {
  auto setup = loop_of(cost_kind::exponential, 2000);
  setup.finest = 128;
  const auto coarse = study(setup, task_scheduler::fifo, 1);
  const auto middle = study(setup, task_scheduler::fifo, 16);
  const auto fine = study(setup, task_scheduler::fifo, 128);
  EXPECT_LT(middle.time.mean, 0.98 * coarse.time.mean);
  EXPECT_LT(middle.time.mean, 0.8 * fine.time.mean);
  EXPECT_LT(coarse.balance.mean, middle.balance.mean);
  EXPECT_LT(middle.overhead.mean, fine.overhead.mean);
  EXPECT_LT(middle.tail.mean, coarse.tail.mean);
}

TEST(Granularity, GuidedChunksNeedFewerTakes) {
  const auto setup = loop_of(cost_kind::uniform, 500);
  const auto guided = study(setup, task_scheduler::guided, 64);
  const auto fifo = study(setup, task_scheduler::fifo, 64);
  EXPECT_EQ(fifo.tasks.mean, 8 * 64);
  EXPECT_LT(guided.tasks.mean, 8 * 64 / 3);
  EXPECT_LT(guided.overhead.mean, fifo.overhead.mean);
}

TEST(LongTasksFirst, ShrinkTheTail) {
  for (const auto costs : {cost_kind::exponential, cost_kind::pareto, cost_kind::one_long}) {
    auto setup = loop_of(costs, 10);
    setup.seeds = 20;
    const auto fifo = study(setup, task_scheduler::fifo, 16);
    const auto ordered = [&](hint_kind hint) {
      return study(setup, task_scheduler::longest_first, 16, hint).tail.mean;
    };
    for (const auto hint : {hint_kind::noisy, hint_kind::history})
      EXPECT_LT(ordered(hint), 0.75 * fifo.tail.mean) << to_string(costs) << to_string(hint);
    EXPECT_LT(ordered(hint_kind::exact), 0.5 * fifo.tail.mean) << to_string(costs);
    if (costs == cost_kind::one_long) continue;  // shortest first leaves it where it is
    const auto worst = study(setup, task_scheduler::shortest_first, 16);
    EXPECT_GT(worst.tail.mean, fifo.tail.mean) << to_string(costs);
  }
}

// A surprise at the end of the queue, where only short tasks should be, is as bad as no order at
// all.
TEST(LongTasksFirst, FailWhereHistoryMisleads) {
  auto setup = loop_of(cost_kind::exponential, 10);
  setup.seeds = 20;
  const auto exact = study(setup, task_scheduler::longest_first, 64);
  const auto history = study(setup, task_scheduler::longest_first, 64, hint_kind::history);
  EXPECT_GT(history.tail.mean, 10 * exact.tail.mean);
}

TEST(LongTasksFirst, BetterHintsAreWorthMore) {
  auto setup = loop_of(cost_kind::exponential, 10);
  setup.seeds = 20;
  const auto tail = [&](hint_kind hint) {
    return study(setup, task_scheduler::longest_first, 16, hint).tail.mean;
  };
  EXPECT_LT(tail(hint_kind::exact), tail(hint_kind::noisy));
  EXPECT_LT(tail(hint_kind::exact), tail(hint_kind::history));
}

std::vector<double> means(const granularity_row& row) {
  return {row.time.mean, row.balance.mean, row.overhead.mean, row.idle.mean, row.tail.mean};
}

TEST(Granularity, GivesTheSameRowForTheSameSeed) {
  for (const auto& scheduler : task_schedulers()) {
    auto setup = loop_of(cost_kind::pareto, 50);
    const auto row = means(study(setup, scheduler.kind, 8));
    EXPECT_EQ(row, means(study(setup, scheduler.kind, 8)));
    setup.seed = 2;
    EXPECT_NE(row, means(study(setup, scheduler.kind, 8)));
  }
}

TEST(Granularity, RefusesWhatCantBeCut) {
  const auto message = [](granularity_setup setup, std::uint32_t factor) -> std::string {
    try {
      (void)study(setup, task_scheduler::fifo, factor);
    } catch (const heist::usage_error& error) {
      return error.what();
    }
    return "accepted";
  };
  using testing::HasSubstr;
  auto setup = loop_of(cost_kind::equal);
  EXPECT_THAT(message(setup, 65), HasSubstr("1 to 64, not 65"));
  EXPECT_THAT(message(setup, 0), HasSubstr("1 to 64, not 0"));
  setup.work = 511;
  EXPECT_THAT(message(setup, 1), HasSubstr("511 steps of work are too few for 512 tasks"));
  setup.processors = 0;
  EXPECT_THAT(message(setup, 1), HasSubstr("P is from 1"));
  setup.processors = 4096;
  setup.finest = 100'000;
  EXPECT_THAT(message(setup, 1), HasSubstr("cut into 1 to 4194304 tasks"));
}

}  // namespace

// ---- The costs of a loop's iterations: their sum is what was asked for, and their distribution
// what its name says.

namespace {

using namespace heist::lab;

std::uint64_t sum(const std::vector<std::uint64_t>& costs) {
  return std::accumulate(costs.begin(), costs.end(), std::uint64_t{0});
}

double share_above(const std::vector<std::uint64_t>& costs, double limit) {
  const auto above = std::count_if(costs.begin(), costs.end(),
                                   [&](auto cost) { return static_cast<double>(cost) > limit; });
  return static_cast<double>(above) / static_cast<double>(costs.size());
}

TEST(Costs, SumUpToTheWorkWithAStepForEach) {
  for (const auto& each : cost_names())
    for (const std::uint64_t grains : {1U, 2U, 48U, 1000U})
      for (const std::uint64_t work : {grains, grains + 1, grains * 977 + 13}) {
        rng random(grains + work);
        const auto costs = draw_costs(each.kind, work, grains, 1, random);
        for (const auto& list : {costs.now, costs.before}) {
          EXPECT_EQ(list.size(), grains) << each.name;
          EXPECT_EQ(sum(list), work) << each.name;
          EXPECT_GE(*std::min_element(list.begin(), list.end()), 1U) << each.name;
        }
      }
}

TEST(Costs, AreTheSameForTheSameSeed) {
  for (const auto& each : cost_names()) {
    rng first(5);
    rng second(5);
    rng third(6);
    const auto costs = draw_costs(each.kind, 1'000'000, 640, 16, first);
    EXPECT_EQ(costs.now, draw_costs(each.kind, 1'000'000, 640, 16, second).now);
    const bool has_chance = each.kind != cost_kind::equal && each.kind != cost_kind::one_long;
    EXPECT_EQ(costs.now != draw_costs(each.kind, 1'000'000, 640, 16, third).now, has_chance);
  }
}

// How much lies above the mean, and above three times the mean; five deviations of 200,000 draws
// are 0.006 at most.
TEST(Costs, HaveTheirDistribution) {
  constexpr std::uint64_t grains = 200'000;
  constexpr double mean = 10'000;
  const auto drawn = [](cost_kind kind) {
    rng random(11);
    return draw_costs(kind, grains * static_cast<std::uint64_t>(mean), grains, 16, random).now;
  };
  const auto exponential = drawn(cost_kind::exponential);
  EXPECT_NEAR(share_above(exponential, mean), 0.3679, 0.006);
  EXPECT_NEAR(share_above(exponential, 3 * mean), 0.0498, 0.006);
  const auto uniform = drawn(cost_kind::uniform);
  EXPECT_NEAR(share_above(uniform, mean), 0.5, 0.006);
  EXPECT_NEAR(share_above(uniform, 1.5 * mean), 0.25, 0.006);
  EXPECT_EQ(share_above(uniform, 2.02 * mean), 0);
  const auto pareto =
      drawn(cost_kind::pareto);  // the sum, and so the scale, varies by a few per cent
  EXPECT_NEAR(share_above(pareto, mean), 0.25, 0.02);
  EXPECT_NEAR(share_above(pareto, 3 * mean), 1.0 / 36, 0.006);
  EXPECT_GT(share_above(pareto, 50 * mean), 0);
}

TEST(Costs, OneLongIsHalfOfAProcessorsShareAndTheLast) {
  rng random(1);
  const auto costs = draw_costs(cost_kind::one_long, 1'600'000, 1600, 16, random).now;
  EXPECT_NEAR(static_cast<double>(costs.back()), 50'000, 50);
  EXPECT_EQ(*std::max_element(costs.begin(), costs.end()), costs.back());
  EXPECT_LT(*std::max_element(costs.begin(), costs.end() - 1), 1100U);
}

TEST(History, ChangesAnEighthOfTheCosts) {
  constexpr std::uint64_t grains = 100'000;
  rng random(3);
  const auto costs = draw_costs(cost_kind::uniform, grains * 1'000'000, grains, 16, random);
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < grains; ++i) {
    const auto off = static_cast<double>(costs.now[i]) - static_cast<double>(costs.before[i]);
    changed += std::abs(off) > 0.01 * static_cast<double>(costs.now[i]) + 1000 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(changed) / grains, 0.125, 0.006);
}

TEST(Noise, IsAFactorFromAHalfToTwo) {
  rng random(9);
  double least = 1;
  double greatest = 1;
  for (int i = 0; i < 10'000; ++i) {
    const double factor = static_cast<double>(noisy(1'000'000'000, random)) / 1e9;
    least = std::min(least, factor);
    greatest = std::max(greatest, factor);
  }
  EXPECT_GE(least, 0.5 - 1e-9);
  EXPECT_LE(greatest, 2);
  EXPECT_LT(least, 0.51);
  EXPECT_GT(greatest, 1.98);
  EXPECT_EQ(noisy(0, random), 0U);
}

}  // namespace
