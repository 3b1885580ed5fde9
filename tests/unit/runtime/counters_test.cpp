// Puts and takes, which pools count under stats_kind::full.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "heist/heist.hpp"
#include "observe/stats/meanings.hpp"
#include "observe/stats/stats_words.hpp"
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

// ---- The texts about a pool's numbers: each number has one, and the words below a table follow
// from the numbers.

namespace {

using heist::counters;
using heist::meaning;
using heist::pool_stats;

std::vector<std::string> names_of(std::span<const meaning> texts) {
  std::vector<std::string> names;
  for (const meaning& m : texts) names.emplace_back(m.name);
  return names;
}

// How many words of counters no text is about.
std::size_t counters_without_text(std::span<const meaning> texts) {
  counters all{};
  for (const meaning& m : texts)
    if (m.counter != nullptr) all.*m.counter = 1;
  all.steals_by_size.fill(1);
  std::size_t missing = 0;
  std::uint64_t words[sizeof(counters) / sizeof(std::uint64_t)];
  std::memcpy(words, &all, sizeof(all));
  for (const std::uint64_t word : words) missing += word == 0 ? 1 : 0;
  return missing;
}

bool has_all(const std::vector<std::string>& names, std::initializer_list<const char*> wanted) {
  for (const char* const name : wanted)
    if (std::find(names.begin(), names.end(), name) == names.end()) return false;
  return true;
}

TEST(Meanings, EveryCounterHasAText) {
  EXPECT_EQ(counters_without_text(heist::all_meanings()), 0U);
}

TEST(Meanings, AMissingTextIsFound) {
  const auto all = heist::all_meanings();
  EXPECT_EQ(counters_without_text(all.subspan(1)), 1U);
}

TEST(Meanings, EveryNumberOfAPoolHasAText) {
  // This doesn't compile when pool_stats gets another field: it needs a text, and its name here.
  [[maybe_unused]] const auto& [pool, has_histograms, histograms, workers, total, stacks_in_use,
                                stacks_peak, stacks_mapped, blocking_calls, blocking_refusals,
                                blocking_threads_in_use, blocking_threads_peak, seatless_calls,
                                processor_ns, ready_ns] = pool_stats{};
  [[maybe_unused]] const auto& [steal_ns, steal_depth, steal_places, steals_by_distance, wake_ns,
                                idle_ns] = heist::pool_histograms{};
  EXPECT_TRUE(has_all(names_of(heist::all_meanings()), {"pool",
                                                        "has_histograms",
                                                        "histograms",
                                                        "workers",
                                                        "total",
                                                        "stacks_in_use",
                                                        "stacks_peak",
                                                        "stacks_mapped",
                                                        "blocking_calls",
                                                        "blocking_refusals",
                                                        "blocking_threads_in_use",
                                                        "blocking_threads_peak",
                                                        "seatless_calls",
                                                        "processor_ns",
                                                        "ready_ns",
                                                        "steal_ns",
                                                        "steal_depth",
                                                        "steal_places",
                                                        "steals_by_distance",
                                                        "wake_ns",
                                                        "idle_ns",
                                                        "steals_by_size"}));
}

TEST(Meanings, EveryReasonToBeIdleHasAText) {
  const auto names = names_of(heist::all_meanings());
  for (const heist::idle_reason r : heist::all_idle_reasons)
    EXPECT_NE(std::find(names.begin(), names.end(), to_string(r)), names.end()) << to_string(r);
}

TEST(Meanings, NoNameStandsForTwoThings) {
  auto names = names_of(heist::all_meanings());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

pool_stats two_workers() {
  pool_stats s;
  s.workers.resize(2);
  return s;
}
bool says(const pool_stats& s, const char* words) {
  return heist::words_about(s).find(words) != std::string::npos;
}

TEST(StatsWords, OnlyColumnsWithAValueAreExplained) {
  pool_stats s = two_workers();
  s.total.steals = s.workers[0].steals = 12;
  EXPECT_TRUE(says(s, "steals       jobs taken from another worker\n"));
  EXPECT_FALSE(says(s, "parks"));
}

TEST(StatsWords, FewStealsThatSharedTheWorkAreWell) {
  pool_stats s = two_workers();
  s.total.steals = s.workers[1].steals = 12;
  s.total.exposes = 12;
  EXPECT_TRUE(says(s, "1 worker of 2 took work from others, by 12 steals: too few to cost"));
  EXPECT_FALSE(says(s, "slept"));
  EXPECT_FALSE(says(s, "attempts in vain"));
}

TEST(StatsWords, NoStealsAreExplained) {
  pool_stats s = two_workers();
  EXPECT_TRUE(says(s, "No steals, and nothing was given"));
  s.total.roots = 3;
  EXPECT_TRUE(says(s, "No steals: one worker at a time did everything"));
  s.total.exposes = 3;
  EXPECT_TRUE(says(s, "took it back before"));
  s.workers.resize(1);
  EXPECT_TRUE(says(s, "One worker: there was nobody to share with."));
}

TEST(StatsWords, WhatCallsForAChangeIsSaid) {
  pool_stats s = two_workers();
  s.total.steals = s.workers[0].steals = 200;
  s.total.parks = 300;
  s.total.naps = 150;
  s.total.failed_steals = 30'000;
  s.total.inlined_forks = 1;
  s.blocking_refusals = 2;
  s.seatless_calls = 101;
  EXPECT_TRUE(says(s, "Workers slept 300 times, more often than they stole"));
  EXPECT_TRUE(says(s, "Thieves napped 150 times"));
  EXPECT_TRUE(says(s, "For each steal there were 150 attempts in vain"));
  EXPECT_TRUE(says(s, "1 fork found the deque full"));
  EXPECT_TRUE(says(s, "2 blocking calls held a worker up"));
  EXPECT_TRUE(says(s, "101 calls from outside found no seat"));
}

TEST(StatsWords, TheMainReasonToBeIdleIsNamed) {
  pool_stats s = two_workers();
  s.has_histograms = true;
  auto& spells = s.histograms.idle_ns[static_cast<std::size_t>(heist::idle_reason::serial_phase)];
  for (int i = 0; i < 100; ++i) spells.add(1000);
  EXPECT_TRUE(says(s, "Most idle time: one worker ran, with nothing on its deque. Split what"));
}

}  // namespace
