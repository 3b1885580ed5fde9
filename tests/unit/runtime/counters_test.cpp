// Puts and takes, which pools count under stats_kind::full.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "heist/heist.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::counters;
using heist::deque_kind;
using heist::stats_kind;

constexpr int n = 16;
constexpr std::uint64_t forks = 1596;  // of fib(16): fib(17) - 1

class FullCounters : public testing::TestWithParam<deque_kind> {
 protected:
  static heist::pool_config config(unsigned workers) {
    return {.workers = workers, .deque = GetParam(), .steal_batch = 4, .stats = stats_kind::full};
  }
  const watchdog guard_{"counting"};
};

TEST_P(FullCounters, OneWorkerTakesWhatItPuts) {
  heist::pool pool(config(1));
  EXPECT_EQ(pool.run([] { return fib(n); }), 987);
  const counters all = pool.stats().total;
  EXPECT_EQ(all.puts, forks);
  EXPECT_EQ(all.takes, forks);
  EXPECT_EQ(all.failed_takes, 0U);
  EXPECT_EQ(all.bottom_ups(), forks);
  EXPECT_EQ(all.bottom_downs(), forks);
}

// What a batch leaves in the thief's deque is put there once more.
TEST_P(FullCounters, WhatIsPutIsTakenOrStolen) {
  for (const unsigned workers : {2U, 3U, 8U}) {
    heist::pool pool(config(workers));
    const int rounds = scaled(50);
    for (int round = 0; round < rounds; ++round) pool.run([] { return fib(n); });
    // Nothing is left, but a loser of a race may not have counted yet.
    EXPECT_TRUE(eventually([&] {
      const counters all = pool.stats().total;
      return all.puts == forks * static_cast<std::uint64_t>(rounds) + all.batched &&
             all.takes + all.steals + all.batched == all.puts;
    })) << to_string(pool.stats());
    const counters all = pool.stats().total;
    EXPECT_EQ(
        std::accumulate(all.steals_by_size.begin(), all.steals_by_size.end(), std::uint64_t{0}),
        all.steals);
    EXPECT_LE(all.suspends, all.failed_takes);
    EXPECT_LE(all.failed_batch_steals, all.failed_steals);
    const bool takes_several =
        GetParam() == deque_kind::multi_steal || GetParam() == deque_kind::steal_half;
    if (!takes_several) {
      EXPECT_EQ(all.failed_batch_steals, 0U);
    }
  }
}

TEST_P(FullCounters, SpawnsCountAsForksDo) {
  for (const auto spawn : {heist::spawn_kind::continuation, heist::spawn_kind::child}) {
    auto c = config(1);
    c.spawn = spawn;
    heist::pool pool(c);
    constexpr int children = 100;
    int ran = 0;
    pool.run([&] {
      heist::scope([&](heist::task_scope& s) {
        for (int i = 0; i < children; ++i) s.spawn([&] { ++ran; });
      });
    });
    EXPECT_EQ(ran, children);
    EXPECT_EQ(pool.stats().total.puts, static_cast<std::uint64_t>(children));
    EXPECT_EQ(pool.stats().total.takes, static_cast<std::uint64_t>(children));
  }
}

TEST_P(FullCounters, AForkThatIsACallIsNotPut) {
  auto c = config(1);
  c.fork_depth = 4;
  heist::pool pool(c);
  EXPECT_EQ(pool.run([] { return fib(n); }), 987);
  const counters all = pool.stats().total;
  EXPECT_EQ(all.puts + all.inlined_forks, forks);
  EXPECT_GT(all.inlined_forks, 0U);
  EXPECT_EQ(all.takes, all.puts);
}

INSTANTIATE_TEST_SUITE_P(Deques, FullCounters, testing::ValuesIn(heist::all_deque_kinds),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

// A limit that every push passes isn't a request, for which a loop would fork.
TEST(FullCountersOfLoops, ALoopForksOnlyForThieves) {
  const watchdog guard("a loop");
  heist::pool pool({.workers = 2, .stats = stats_kind::full});
  signal_flag stolen;
  signal_flag over;
  std::uint64_t puts = 0;
  pool.run([&] {
    heist::fork_join(
        [&] {
          ASSERT_TRUE(stolen.wait());  // nobody is left who could ask
          const auto before = pool.stats().total.puts;
          heist::parallel_for(0, 1'000'000, [](int) { asm volatile(""); });
          puts = pool.stats().total.puts - before;
          over.raise();
        },
        [&] {
          stolen.raise();
          EXPECT_TRUE(over.wait());
        });
  });
  EXPECT_LE(puts, 1U);  // a request may have been left
}

// The default counts neither, and keeps its forks inlined.
TEST(SlowPathCounters, LeavePutsUncounted) {
  heist::pool pool({.workers = 2});
  pool.run([] { return fib(n); });
  EXPECT_EQ(pool.stats().total.puts, 0U);
  EXPECT_EQ(pool.stats().total.takes, 0U);
  EXPECT_EQ(to_string(pool.stats()).find("puts"), std::string::npos);
}

TEST(FullCountersText, ShowsTheDeques) {
  heist::pool pool({.workers = 1, .stats = stats_kind::full});
  pool.run([] { return fib(n); });
  const std::string text = to_string(pool.stats());
  EXPECT_NE(text.find("puts"), std::string::npos);
  EXPECT_NE(text.find("1596"), std::string::npos);
}

long nested(int depth) {
  if (depth == 0) return 0;
  const auto [a, b] = heist::fork_join([=] { return nested(depth - 1); }, [] { return 1L; });
  return a + b;
}

// Deques begin with room for 256 jobs.
TEST(Resizes, AreCountedWhereDequesGrow) {
  for (const deque_kind kind : {deque_kind::locked, deque_kind::chase_lev, deque_kind::multi_steal,
                                deque_kind::steal_half}) {
    heist::pool pool({.workers = 1, .deque = kind});
    EXPECT_EQ(pool.run([] { return nested(1000); }), 1000);
    EXPECT_EQ(pool.stats().total.resizes, 2U) << to_string(kind);  // to 512, and to 1024
  }
  heist::pool pool({.workers = 1});
  EXPECT_EQ(pool.run([] { return nested(1000); }), 1000);
  EXPECT_EQ(pool.stats().total.resizes, 0U);
}

TEST(StealSizes, FallIntoTheirClasses) {
  EXPECT_EQ(counters::size_class(1), 0U);
  EXPECT_EQ(counters::size_class(2), 1U);
  EXPECT_EQ(counters::size_class(3), 2U);
  EXPECT_EQ(counters::size_class(4), 2U);
  EXPECT_EQ(counters::size_class(5), 3U);
  EXPECT_EQ(counters::size_class(32), 5U);
  EXPECT_EQ(counters::size_class(33), 6U);
  EXPECT_EQ(counters::size_class(1000), 6U);
}

// ---- The counters count the right events, none twice, and lose none.

TEST(Counters, OneWorkerNeverStealsOrSuspends) {
  heist::pool pool({.workers = 1});
  pool.run([] { return fib(15); });
  const auto all = pool.stats().total;
  EXPECT_EQ(all.roots, 1U);
  EXPECT_EQ(all.steals, 0U);
  EXPECT_EQ(all.suspends, 0U);
  EXPECT_EQ(all.remote_exposes, 0U);
  EXPECT_EQ(all.inlined_forks, 0U);
}

TEST(Counters, WhatBecamePublicWasStolenOrReclaimed) {
  for (const unsigned workers : {2U, 3U, 8U}) {
    heist::pool pool({.workers = workers});
    for (int round = 0; round < scaled(100); ++round) {
      pool.run([] { return fib(15); });
      const auto all = pool.stats().total;
      ASSERT_EQ(all.steals, all.exposes + all.remote_exposes - all.reclaims);
      ASSERT_LE(all.suspends, all.steals);
    }
  }
}

TEST(Counters, TheTotalIsTheSumOfTheWorkers) {
  heist::pool pool({.workers = 3});
  pool.run([] { return fib(15); });
  ASSERT_TRUE(eventually([&] { return pool.stats().total.parks >= 3; }));
  const auto s = pool.stats();
  heist::counters sum;
  for (const auto& w : s.workers) sum += w;
  EXPECT_EQ(s.workers.size(), 3U);
  EXPECT_EQ(sum, s.total);
}

TEST(Counters, StacksInUseComeBackToOneAWorker) {
  heist::pool pool({.workers = 4});
  for (int round = 0; round < 20; ++round) pool.run([] { return fib(15); });
  EXPECT_TRUE(eventually([&] { return pool.stats().stacks_in_use == 4; }));
  const auto s = pool.stats();
  EXPECT_GE(s.stacks_peak, 4U);
  EXPECT_GE(s.stacks_mapped, s.stacks_in_use);
  // Each of four workers uses at most 15 stacks for the depth, and one for a fresh fiber.
  EXPECT_LE(s.stacks_peak, 4U * 16U);
}

TEST(Counters, TheTableNamesEveryWorker) {
  heist::pool pool({.workers = 2});
  const std::string table = to_string(pool.stats());
  EXPECT_NE(table.find("steals"), std::string::npos);
  EXPECT_NE(table.find("\n0 "), std::string::npos);
  EXPECT_NE(table.find("\n1 "), std::string::npos);
  EXPECT_NE(table.find("\nall "), std::string::npos);
  EXPECT_NE(table.find("stacks: "), std::string::npos);
}

}  // namespace
}  // namespace heist_test
