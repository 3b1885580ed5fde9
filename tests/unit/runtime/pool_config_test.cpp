// The configuration of a pool by pool_config and by HEIST_*; invalid values are refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "heist/heist.hpp"
#include "heist/presets.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using testing::AllOf;
using testing::ExitedWithCode;
using testing::HasSubstr;

std::string refusal(heist::pool_config config) {
  try {
    heist::pool pool(std::move(config));
  } catch (const heist::usage_error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(PoolConfig, NonsenseIsRefusedWithTheNameOfTheField) {
  EXPECT_THAT(refusal({.workers = 1025}), AllOf(HasSubstr("workers"), HasSubstr("1025")));
  EXPECT_THAT(refusal({.workers = 1, .stack_size = 1}), HasSubstr("stack_size"));
  EXPECT_THAT(refusal({.workers = 1, .stack_size = heist::pool_config::min_stack_size - 1}),
              HasSubstr("stack_size"));
  EXPECT_THAT(refusal({.workers = 1, .stack_size = heist::pool_config::max_stack_size + 1}),
              HasSubstr("stack_size"));
  EXPECT_THAT(refusal({.workers = 1, .stack_size = ~std::size_t{0}}), HasSubstr("stack_size"));
  EXPECT_THAT(refusal({.workers = 1, .fork_depth = heist::pool_config::max_fork_depth + 1}),
              HasSubstr("fork_depth"));
  EXPECT_THAT(refusal({.workers = 1, .fork_depth = ~std::size_t{0}}), HasSubstr("fork_depth"));
  EXPECT_THAT(refusal({.workers = 1, .steal_batch = 0}), HasSubstr("steal_batch"));
  EXPECT_THAT(refusal({.workers = 1, .steal_batch = heist::pool_config::max_steal_batch + 1}),
              HasSubstr("steal_batch"));
  EXPECT_THAT(refusal({.workers = 1, .deque = static_cast<heist::deque_kind>(9)}),
              HasSubstr("deque"));
  EXPECT_THAT(refusal({.workers = 1, .join = static_cast<heist::join_kind>(9)}), HasSubstr("join"));
  EXPECT_THAT(refusal({.workers = 1, .spawn = static_cast<heist::spawn_kind>(2)}),
              HasSubstr("spawn"));
  EXPECT_THAT(refusal({.workers = 1, .victim = static_cast<heist::victim_kind>(9)}),
              HasSubstr("victim"));
  EXPECT_THAT(refusal({.workers = 1, .idle = static_cast<heist::idle_kind>(9)}), HasSubstr("idle"));
  EXPECT_THAT(refusal({.workers = 1, .placement = static_cast<heist::placement_kind>(9)}),
              HasSubstr("placement"));
}

TEST(PoolConfig, TheLimitsThemselvesWork) {
  heist::pool small(
      {.workers = 2, .stack_size = heist::pool_config::min_stack_size, .fork_depth = 1});
  EXPECT_EQ(small.run([] { return 1; }), 1);
  heist::pool deep({.workers = 1, .fork_depth = heist::pool_config::max_fork_depth});
  EXPECT_EQ(deep.run([] { return heist::fork_join([] { return 1; }, [] { return 2; }); }),
            std::tuple(1, 2));
}

TEST(PoolConfig, ResolvedValuesAreTold) {
  heist::pool pool({.workers = 3, .name = "mine"});
  EXPECT_EQ(pool.config().workers, 3U);
  EXPECT_EQ(pool.config().stack_size, heist::pool_config::default_stack_size);
  EXPECT_EQ(pool.config().fork_depth, heist::pool_config::default_fork_depth);
  EXPECT_EQ(pool.config().name, "mine");
  EXPECT_EQ(pool.workers(), 3U);
  EXPECT_EQ(pool.missing_workers(), 0U);
}

TEST(PoolConfig, PinnedWorkersRun) {
  heist::pool pool({.workers = 3, .placement = heist::placement_kind::pinned});
  EXPECT_EQ(pool.run([] { return heist::fork_join([] { return 1; }, [] { return 2; }); }),
            std::tuple(1, 2));
}

class EnvironmentDeathTest : public fresh_process {
 protected:
  // Makes and uses the default pool with one variable set.
  static void use_default_pool(const char* name, const char* value) {
    run_and_exit([&] {
      ::setenv(name, value, 1);
      const auto [a, b] = heist::fork_join([] { return 1; }, [] { return 2; });
      std::fprintf(stderr, "%d on %u workers with %zu KiB\n", a + b,
                   heist::default_pool().workers(),
                   heist::default_pool().config().stack_size >> 10);
    });
  }
};

TEST_F(EnvironmentDeathTest, BadWorkersAreRefused) {
  for (const char* value : {"abc", "0", "100000", "-1", "2x", " 2", "1e1", "18446744073709551617"})
    EXPECT_EXIT(use_default_pool("HEIST_WORKERS", value), ExitedWithCode(code_usage),
                std::string("HEIST_WORKERS=") + value + ": must be a number from 1 to 1024");
}

TEST_F(EnvironmentDeathTest, GoodWorkersAreObeyed) {
  EXPECT_EXIT(use_default_pool("HEIST_WORKERS", "3"), ExitedWithCode(0), "3 on 3 workers");
}

TEST_F(EnvironmentDeathTest, AnEmptyVariableIsNone) {
  for (const char* name : {"HEIST_WORKERS", "HEIST_STACK_SIZE"})
    EXPECT_EXIT(use_default_pool(name, ""), ExitedWithCode(0), "3 on [0-9]+ workers");
}

TEST_F(EnvironmentDeathTest, PoolConfigGoesBeforeTheEnvironment) {
  EXPECT_EXIT(run_and_exit([] {
                ::setenv("HEIST_WORKERS", "3", 1);
                ::setenv("HEIST_STACK_SIZE", "nonsense", 1);
                heist::pool pool({.workers = 2, .stack_size = 1 << 20});
                std::fprintf(stderr, "%u workers\n", pool.workers());
              }),
              ExitedWithCode(0), "2 workers");
}

TEST_F(EnvironmentDeathTest, BadStackSizesAreRefused) {
  for (const char* value :
       {"abc", "0", "1", "15K", "-1", "8MB", "K", "2000G", "99999999999999999999"})
    EXPECT_EXIT(use_default_pool("HEIST_STACK_SIZE", value), ExitedWithCode(code_usage),
                std::string("HEIST_STACK_SIZE=") + value + ": must be a number of bytes");
}

TEST_F(EnvironmentDeathTest, GoodStackSizesAreObeyed) {
  EXPECT_EXIT(use_default_pool("HEIST_STACK_SIZE", "65536"), ExitedWithCode(0), "with 64 KiB");
  EXPECT_EXIT(use_default_pool("HEIST_STACK_SIZE", "512k"), ExitedWithCode(0), "with 512 KiB");
  EXPECT_EXIT(use_default_pool("HEIST_STACK_SIZE", "2M"), ExitedWithCode(0), "with 2048 KiB");
}

TEST_F(EnvironmentDeathTest, BadProfilesAreRefused) {
  for (const char* value : {"1", "work", "workspan:", "workspan,", "workspan,fork",
                            "workspan,dag=", "workspan:x.json,steel=1", "workspan,steal=fast",
                            "workspan,steal=-1", "workspan,steal=1e10"})
    EXPECT_EXIT(use_default_pool("HEIST_PROFILE", value), ExitedWithCode(code_usage),
                std::string("HEIST_PROFILE=") + value + ": must be ");
}

TEST_F(EnvironmentDeathTest, GoodProfilesAreObeyed) {
  EXPECT_EXIT(use_default_pool("HEIST_PROFILE", "workspan"), ExitedWithCode(0), "work T1");
  EXPECT_EXIT(use_default_pool("HEIST_PROFILE", "workspan,steal=7"), ExitedWithCode(0),
              "steal 7 ns.*HEIST_PROFILE");
  EXPECT_EXIT(use_default_pool("HEIST_PROFILE", "workspan:/nowhere/x.json"), ExitedWithCode(0),
              "can't write /nowhere/x.json: No such file");
}

TEST_F(EnvironmentDeathTest, BadFlagsAreRefused) {
  EXPECT_EXIT(use_default_pool("HEIST_SERIAL", "yes"), ExitedWithCode(code_usage),
              "HEIST_SERIAL=yes: must be 0 or 1");
  EXPECT_EXIT(use_default_pool("HEIST_CHECK", "2"), ExitedWithCode(code_usage),
              "HEIST_CHECK=2: must be 0, or any of 1, moves, locks");
  EXPECT_EXIT(use_default_pool("HEIST_CHECK", "block:1h1"), ExitedWithCode(code_usage),
              "HEIST_CHECK=block:1h1: must be 0, or any of");
  EXPECT_EXIT(use_default_pool("HEIST_CHECK", "locks"), ExitedWithCode(code_usage),
              "HEIST_CHECK: locks and block:TIME need libheist-check.so");
  EXPECT_EXIT(use_default_pool("HEIST_CHECK", "1,moves,starve:10s"), ExitedWithCode(0), "");
  EXPECT_EXIT(use_default_pool("HEIST_STATS", "2"), ExitedWithCode(code_usage),
              "HEIST_STATS=2: must be 0, 1, timed or full");
  EXPECT_EXIT(use_default_pool("HEIST_BARRIER", "hope"), ExitedWithCode(code_usage),
              "HEIST_BARRIER.*hope");
}

TEST_F(EnvironmentDeathTest, BothBarriersWork) {
  EXPECT_EXIT(use_default_pool("HEIST_BARRIER", "signal"), ExitedWithCode(0), "3 on");
  if (!emulated) {
    EXPECT_EXIT(use_default_pool("HEIST_BARRIER", "membarrier"), ExitedWithCode(0), "3 on");
  }
}

TEST_F(EnvironmentDeathTest, StatsArePrintedAtExit) {
  EXPECT_EXIT(use_default_pool("HEIST_STATS", "1"), ExitedWithCode(0), "steals.*\n.*all");
  EXPECT_EXIT(use_default_pool("HEIST_STATS", "full"), ExitedWithCode(0), "steals.*\n.*all");
}

TEST_F(EnvironmentDeathTest, SerialElisionStaysOnTheCallersThread) {
  EXPECT_EXIT(run_and_exit([] {
                ::setenv("HEIST_SERIAL", "1", 1);
                const auto here = [] { return heist::this_worker::index(); };
                const auto [a, b] = heist::fork_join(
                    here, [&] { return std::get<1>(heist::fork_join(here, here)); });
                heist::pool pool({.workers = 2});
                const int c = pool.run(here);
                try {
                  heist::fork_join([] { throw std::runtime_error("left"); },
                                   [] { throw std::runtime_error("right"); });
                } catch (const std::runtime_error& e) {
                  std::fprintf(stderr, "%d %d %d %s\n", a, b, c, e.what());
                }
              }),
              ExitedWithCode(0), "^-1 -1 -1 left\n$");
}

// ---- Presets: that each is what its document describes, shown by what its pool counts and does.

namespace presets = heist::presets;
using testing::ElementsAre;

heist::pool_config with_workers(heist::pool_config c, unsigned workers) {
  c.workers = workers;
  return c;
}

// Has the other of two workers steal while this one holds `jobs` jobs that it doesn't join yet.
void have_all_stolen(heist::pool& pool, int jobs) {
  const watchdog guard("steals");
  pool.run([jobs] {
    std::atomic<bool> is_busy{false};
    std::atomic<bool> may_end{false};
    std::atomic<int> begun{0};
    heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
      s.spawn([&] {
        is_busy = true;
        while (!may_end) std::this_thread::yield();
      });
      while (!is_busy) std::this_thread::yield();
      for (int i = 0; i < jobs; ++i) s.spawn([&] { ++begun; });
      may_end = true;
      while (begun != jobs) std::this_thread::yield();
    });
  });
}

TEST(Presets, HaveNamesOfTheirOwnAndSayWhatTheyAre) {
  std::set<std::string_view> names;
  for (const auto& each : presets::all()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_FALSE(each.parts.empty()) << each.name;
    EXPECT_FALSE(each.source.empty()) << each.name;
    EXPECT_EQ(presets::find(each.name), &each);
    EXPECT_EQ(each.construct == presets::construct_kind::plan,
              each.limits.find("only loops") != std::string_view::npos)
        << each.name;
    EXPECT_NO_THROW(heist::pool{with_workers(each.config, 2)}) << each.name;
  }
  EXPECT_EQ(presets::find("silk"), nullptr);
  EXPECT_TRUE(same_scheduler(presets::all().front().config, {}));
}

TEST(Presets, ArePrintedAndCompared) {
  EXPECT_EQ(heist::to_string(presets::multi_steal(4)),
            "deque multi_steal of 4, spawn child, join stalling, victim random, idle park, yield "
            "paced");
  EXPECT_THAT(heist::to_string(presets::shared_queue(heist::queue_order::lifo)),
              HasSubstr("deque shared_queue, order lifo"));
  EXPECT_TRUE(heist::same_scheduler(presets::cilk(), with_workers(presets::cilk(), 7)));
  EXPECT_FALSE(heist::same_scheduler(presets::cilk(), presets::heist()));
  EXPECT_FALSE(heist::same_scheduler(presets::multi_steal(2), presets::multi_steal(3)));
  EXPECT_FALSE(heist::same_scheduler(presets::shared_queue(),
                                     presets::shared_queue(heist::queue_order::lifo)));
  EXPECT_FALSE(heist::same_scheduler(presets::abp(), presets::abp(heist::yield_kind::to_all)));
  heist::pool_config other_batch;
  other_batch.steal_batch = 9;  // means nothing to split deques
  EXPECT_TRUE(heist::same_scheduler({}, other_batch));
}

TEST(Presets, TheJobSystemsDifferInTheLockAndInTheMemory) {
  const auto& ring = *presets::find("job_system");
  const auto& locked = *presets::find("job_system_locked");
  const auto& malloc = *presets::find("job_system_malloc");
  EXPECT_EQ(ring.config.deque, heist::deque_kind::bounded_ring);
  EXPECT_TRUE(heist::same_scheduler(locked.config, malloc.config));
  EXPECT_EQ(ring.memory, heist::job_memory::ring);
  EXPECT_EQ(locked.memory, heist::job_memory::ring);
  EXPECT_EQ(malloc.memory, heist::job_memory::heap);
}

TEST(Presets, CilkRunsOnOneWorkerInTheOrderOfASerialProgram) {
  const auto order_under = [](const heist::pool_config& config) {
    heist::pool pool(with_workers(config, 1));
    std::vector<int> order;
    pool.run([&] {
      heist::scope([&](heist::task_scope& s) {
        for (int i = 0; i < 3; ++i) s.spawn([&order, i] { order.push_back(i); });
        order.push_back(9);
      });
    });
    return order;
  };
  EXPECT_THAT(order_under(presets::cilk()), ElementsAre(0, 1, 2, 9));
  if (is_serial()) return;  // then every spawn is a call
  EXPECT_THAT(order_under(presets::job_system()), ElementsAre(9, 2, 1, 0));
}

TEST(Presets, MultiStealTakesBatchesOfAtMostK) {
  if (is_serial()) GTEST_SKIP() << "nothing is stolen";
  for (const unsigned k : {1U, 2U, 4U}) {
    heist::pool pool(with_workers(presets::multi_steal(k), 2));
    have_all_stolen(pool, 40);
    const auto all = pool.stats().total;
    EXPECT_GT(all.steals, 0U);
    EXPECT_LE(all.batched, all.steals * (k - 1)) << k;
    EXPECT_EQ(all.batched > 0, k > 1) << k;
  }
}

TEST(Presets, AbpYieldsAfterFailedAttemptsAndStealsFromItsOwnDeque) {
  if (is_serial()) GTEST_SKIP() << "nothing is stolen";
  for (const auto yield : heist::all_yield_kinds) {
    SCOPED_TRACE(to_string(yield));
    heist::pool pool(with_workers(presets::abp(yield), 3));
    have_all_stolen(pool, 20);
    const auto counts = [&] { return pool.stats().total; };
    EXPECT_GT(counts().steals, 0U);
    const bool yields = yield != heist::yield_kind::paced && yield != heist::yield_kind::none;
    if (yields) {
      EXPECT_TRUE(eventually([&] { return counts().yields > 0; }));
    }
    const auto all = counts();
    EXPECT_EQ(all.yields > 0, yields);
    EXPECT_EQ(all.parks, 0U);  // they never sleep
  }
}

TEST(Presets, StaticPlansTakeOnePartEach) {
  if (is_serial()) GTEST_SKIP() << "nothing is stolen";
  heist::pool pool({.workers = 3});
  std::atomic<std::size_t> sum{0};
  heist::parallel_for(
      pool, 0, 1000, [&](int i) { sum += static_cast<std::size_t>(i); }, heist::static_blocks{});
  EXPECT_EQ(sum, 499500U);
  EXPECT_LE(pool.stats().total.steals, 2U);  // the parts of the two other workers, if they came
}

// What config() says is what a scope does.
TEST(Presets, ChildrenBeginAtOnceOnlyWhereConfigSaysContinuation) {
  const auto begun_at_the_end = [](const heist::pool_config& config) {
    heist::pool pool(config);
    const int begun = pool.run([] {
      int now = 0, at_the_end = 0;
      heist::scope([&](heist::task_scope& s) {
        for (int i = 0; i < 24; ++i) s.spawn([&] { ++now; });
        at_the_end = now;
      });
      EXPECT_EQ(now, 24);
      return at_the_end;
    });
    EXPECT_EQ(begun, pool.config().spawn == heist::spawn_kind::continuation ? 24 : 0);
    return pool.config().spawn;
  };
  using enum heist::spawn_kind;
  EXPECT_EQ(begun_at_the_end({.workers = 1}), continuation);
  EXPECT_EQ(begun_at_the_end({.workers = 1, .spawn = child}), child);
  EXPECT_EQ(begun_at_the_end({.workers = 1, .join = heist::join_kind::stalling}), child);
  EXPECT_EQ(begun_at_the_end({.workers = 1, .deque = heist::deque_kind::shared_queue}), child);
}

}  // namespace
}  // namespace heist_test
