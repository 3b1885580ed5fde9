// Schedulers with one pool, and those with a plan.
#include <gtest/gtest.h>

#include <cmath>

#include "lab/schedulers/ready_pool.hpp"
#include "support.hpp"

using namespace heist::lab;

TEST(ReadyPool, GivesThreadsOutInItsOrder) {
  const auto order_of = [](pool_order order) {
    ready_pool pool(order);
    pool.add(7, 30);
    pool.add(3, 10);
    pool.add(5, 30);
    pool.add(9, 20);
    std::vector<thread_id> taken;
    while (pool.size() > 0) taken.push_back(pool.take());
    return taken;
  };
  EXPECT_EQ(order_of(pool_order::fifo), (std::vector<thread_id>{7, 3, 5, 9}));
  EXPECT_EQ(order_of(pool_order::lifo), (std::vector<thread_id>{9, 5, 3, 7}));
  EXPECT_EQ(order_of(pool_order::longest_first), (std::vector<thread_id>{7, 5, 9, 3}));
  EXPECT_EQ(order_of(pool_order::shortest_first), (std::vector<thread_id>{3, 9, 7, 5}));
  EXPECT_EQ(order_of(pool_order::by_priority), (std::vector<thread_id>{7, 5, 9, 3}));
}

TEST(ReadyPool, DoesNotGiveOutAgainWhatWasTakenByName) {
  ready_pool pool(pool_order::fifo);
  pool.add(1, 0);
  pool.add(2, 0);
  pool.take(1);
  EXPECT_FALSE(pool.has(1));
  pool.add(3, 0);
  pool.add(1, 0);  // comes back, behind the others
  EXPECT_EQ(pool.take(), 2u);
  EXPECT_EQ(pool.take(), 3u);
  EXPECT_EQ(pool.take(), 1u);
  EXPECT_EQ(pool.size(), 0u);
}

// A root that spawns three threads and waits for them, on one processor.
TEST(Priority, GoesByWhatTheDagSays) {
  const auto begun = [](std::vector<std::uint32_t> priorities) {
    dag_source source;
    source.threads = {{"root", 7, 1, {}}, {"a", 10, 1, {}}, {"b", 1, 1, {}}, {"c", 5, 1, {}}};
    for (thread_id t = 1; t < 4; ++t) {
      source.threads[t].priority = priorities[t - 1];
      source.spawns.push_back({{0, t - 1}, t});
      source.joins.push_back({{t, source.threads[t].length - 1}, {0, 3 + t}});
    }
    const explicit_dag dag(source);
    std::vector<thread_id> order;
    for (const auto& step : make_schedule(dag, settings_of(scheduler_kind::by_priority, 1)))
      if (const auto t = dag.thread_of(step.executed[0]); order.empty() || order.back() != t)
        order.push_back(t);
    return order;
  };
  EXPECT_EQ(begun({1, 2, 3}), (std::vector<thread_id>{0, 3, 2, 1, 0}));
  EXPECT_EQ(begun({5, 9, 0}), (std::vector<thread_id>{0, 2, 1, 3, 0}));
  EXPECT_EQ(begun({0, 0, 0}), (std::vector<thread_id>{0, 1, 2, 3, 0}));
}

TEST(Priority, IsRefusedWhereNobodyGivesAny) {
  const auto of = make_computation("fib:5");
  EXPECT_THROW((void)of->run(settings_of(scheduler_kind::by_priority, 2)), heist::usage_error);
}

TEST(LevelByLevel, TakesWhatTheLevelsTake) {
  const auto of = make_computation("wide:10,1,1");
  // Spawns in steps 1 to 10, a child in each step from the second on; then the last child beside
  // the filler, the sync.
  EXPECT_EQ(of->run(settings_of(scheduler_kind::level_by_level, 2)).steps, 12u);
  EXPECT_EQ(of->run(settings_of(scheduler_kind::level_by_level, 1)).steps, 22u);
}

TEST(ReadySets, TakeT1OnOneProcessorAndTinfOnMany) {
  using enum scheduler_kind;
  for (const std::string name : {"fib:12", "tree:4,3,5", "figure1", "wide:30,7,90"}) {
    const auto of = make_computation(name);
    const auto m = of->measure();
    for (const auto scheduler :
         {greedy, level_by_level, busy_leaves, fifo, lifo, longest_first, shortest_first}) {
      EXPECT_EQ(of->run(settings_of(scheduler, 1)).steps, m.work) << name << to_string(scheduler);
      EXPECT_EQ(of->run(settings_of(scheduler, 1000)).steps, m.span)
          << name << to_string(scheduler);
    }
  }
}

TEST(LongestFirst, ShortensTheTail) {
  const auto of = make_computation("wide:1000,100,10000");
  const auto in_order = of->run(settings_of(scheduler_kind::fifo, 16)).steps;
  const auto longest = of->run(settings_of(scheduler_kind::longest_first, 16)).steps;
  EXPECT_EQ(longest, of->measure().span +
                         1);  // the last task is spawned last, and a processor is free a step later
  EXPECT_GT(in_order, longest + 5000);
}

// Takes of 5 steps, one after the other: the last of 100 tasks is taken 500 steps after the first
// at the earliest, however many processors there are. Tasks that are long enough hide the queue.
TEST(QueueCost, LimitsHowSmallTasksMayBe) {
  auto settings = settings_of(scheduler_kind::fifo, 64);
  settings.queue_cost = 5;
  const auto small = run("wide:100,1,1", settings);
  EXPECT_GE(small.steps, 500u);
  EXPECT_GE(small.wait, 99u * 5);
  const auto large = run("wide:100,1000,1000", settings);
  settings.queue_cost = 0;
  EXPECT_LE(large.steps, run("wide:100,1000,1000", settings).steps + 200);
}

TEST(QueueCost, IsTheSameForBothEngines) {
  for (const std::string name : {"wide:50,20,300", "fib:12", "figure1", "chain:40"}) {
    const auto of = make_computation(name);
    for (const std::uint32_t cost : {1U, 3U, 1000U}) {
      for (const std::uint32_t p : {1U, 4U, 50U}) {
        auto settings = settings_of(scheduler_kind::lifo, p, engine_kind::step);
        settings.queue_cost = cost;
        const auto by_steps = of->run(settings);
        settings.engine = engine_kind::event;
        EXPECT_EQ(by_steps, of->run(settings)) << name << ' ' << cost << ' ' << p;
        EXPECT_EQ(by_steps.work + by_steps.wait + by_steps.idle, p * by_steps.steps);
        EXPECT_LE(by_steps.idle, p * by_steps.steps);
      }
    }
  }
}

TEST(QueueCost, IsRefusedWhereThereIsNoQueue) {
  auto settings = settings_of(scheduler_kind::work_stealing, 2);
  settings.queue_cost = 1;
  EXPECT_THROW((void)run("fib:3", settings), heist::usage_error);
}

TEST(Plans, GiveEachProcessorItsShare) {
  // 16 tasks of 1000 on 4 processors: 4 each, whichever way; the root's processor has its spawns to
  // do first.
  const auto of = make_computation("wide:16,1000,1000");
  for (const auto scheduler : {scheduler_kind::static_blocks, scheduler_kind::interleaved}) {
    const auto steps = of->run(settings_of(scheduler, 4)).steps;
    EXPECT_GE(steps, 4000u);
    EXPECT_LE(steps, 4000u + 16 + 3);
  }
}

TEST(Plans, DoNotBalanceAndQueuesDo) {
  // The last task is as long as all others: in blocks its processor has its block to do before it.
  const auto of = make_computation("wide:64,100,6400");
  const auto planned = of->run(settings_of(scheduler_kind::static_blocks, 8)).steps;
  const auto queued = of->run(settings_of(scheduler_kind::longest_first, 8)).steps;
  EXPECT_GE(planned, 7 * 100 + 6400u);
  EXPECT_LE(queued, 6400u + 64 + 3);
}

// Each of fib:14's 1218 spawned threads goes elsewhere with a probability of 1 - 1/P, and so does
// each one that a thread on another processor enables.
TEST(WorkSharing, GivesNewThreadsToProcessorsAtRandom) {
  const auto of = make_computation("fib:14");
  const auto m = of->measure();
  EXPECT_EQ(of->run(settings_of(scheduler_kind::work_sharing, 1)).steps, m.work);
  auto settings = settings_of(scheduler_kind::work_sharing, 4);
  constexpr int runs = 50;
  double given = 0;
  for (settings.seed = 1; settings.seed <= runs; ++settings.seed) {
    const auto shared = of->run(settings);
    EXPECT_EQ(shared.work, m.work);
    EXPECT_EQ(shared.steals, 0U);
    EXPECT_LE(shared.remote, shared.resumed);
    given += static_cast<double>(shared.threads_stolen);
    auto stealing = settings;
    stealing.scheduler = scheduler_kind::work_stealing;
    const auto stolen = of->run(stealing);
    EXPECT_LT(10 * (stolen.threads_stolen + stolen.remote), shared.threads_stolen + shared.remote);
  }
  const double expected = 0.75 * static_cast<double>(m.threads - 1);
  EXPECT_NEAR(given / runs, expected, 5 * std::sqrt(expected * 0.25 / runs));
}
