// Presets: that each is what its document describes, shown by what its pool counts and does.
#include "heist/presets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

namespace presets = heist::presets;
using testing::ElementsAre;
using testing::HasSubstr;

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
