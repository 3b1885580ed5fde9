// What pools measure under stats_kind::timed.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "heist/heist.hpp"
#include "heist/sync/latch.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::deque_kind;
using heist::idle_reason;
using heist::log2_histogram;
using heist::pool_histograms;
using heist::stats_kind;

TEST(Log2Histogram, PutsEachValueInTheBucketOfItsPowerOfTwo) {
  EXPECT_EQ(log2_histogram::bucket_of(0), 0U);
  EXPECT_EQ(log2_histogram::bucket_of(1), 0U);
  for (std::size_t b = 1; b + 1 < log2_histogram::buckets; ++b) {
    const std::uint64_t greatest = log2_histogram::greatest_of(b);
    EXPECT_EQ(log2_histogram::bucket_of(greatest), b);
    EXPECT_EQ(log2_histogram::bucket_of(greatest + 1), b + 1);
    EXPECT_EQ(log2_histogram::bucket_of(greatest / 2 + 1), b == 1 ? 1 : b);
  }
  EXPECT_EQ(log2_histogram::bucket_of(~std::uint64_t{0}), log2_histogram::buckets - 1);
}

TEST(Log2Histogram, CountsSumsAndBoundsShares) {
  log2_histogram h;
  EXPECT_EQ(h.count(), 0U);
  EXPECT_EQ(h.mean(), 0);
  EXPECT_EQ(h.quantile(0.5), 0U);
  for (int i = 0; i < 90; ++i) h.add(3);
  for (int i = 0; i < 10; ++i) h.add(1000);
  EXPECT_EQ(h.count(), 100U);
  EXPECT_DOUBLE_EQ(h.mean(), 102.7);
  EXPECT_EQ(h.quantile(0.5), 4U);
  EXPECT_EQ(h.quantile(0.9), 4U);
  EXPECT_EQ(h.quantile(0.91), 1024U);
  log2_histogram twice = h;
  twice += h;
  EXPECT_EQ(twice.count(), 200U);
  EXPECT_EQ(twice.sum, 2 * h.sum);
}

std::uint64_t spells(const pool_histograms& h, idle_reason r) {
  return h.idle_ns[static_cast<std::size_t>(r)].count();
}

TEST(Histograms, ArentKeptUnlessAskedFor) {
  heist::pool pool({.workers = 2});
  pool.run([] { return fib(15); });
  const auto s = pool.stats();
  EXPECT_FALSE(s.has_histograms);
  EXPECT_EQ(s.histograms, pool_histograms{});
}

class Histograms : public testing::TestWithParam<deque_kind> {
 protected:
  const watchdog guard_{"measuring"};
};

TEST_P(Histograms, EachStealIsInEachOfThem) {
  heist::pool pool({.workers = 3, .deque = GetParam(), .stats = stats_kind::timed});
  // Longer and longer: on a busy machine a thief may come when a short run is over, each time.
  unsigned n = 18;
  ASSERT_TRUE(eventually([&] {
    pool.run([n] { return fib(n); });
    if (n < 27) ++n;
    return pool.stats().total.steals >= 10;
  }));
  pool_histograms h;
  std::uint64_t steals = 0;
  // A thief counts a steal in one histogram after the other.
  ASSERT_TRUE(eventually([&] {
    const auto s = pool.stats();
    h = s.histograms;
    steals = s.total.steals;
    return h.steal_ns.count() == steals && h.steal_depth.count() == steals &&
           h.steal_places.count() == steals;
  }));
  const auto& d = h.steals_by_distance;
  EXPECT_EQ(std::accumulate(d.begin(), d.end(), std::uint64_t{0}), steals);
  EXPECT_EQ(d.back(), steals);                // nobody is pinned
  EXPECT_GE(h.steal_depth.sum, steals);       // each took at least one job
  EXPECT_EQ(h.steal_places.quantile(1), 1U);  // in a circle of three
  EXPECT_GT(h.steal_ns.sum, 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Histograms, testing::ValuesIn(heist::all_deque_kinds),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(IdleSpells, OfAWorkerBesideALongLeafAreOfASerialPhase) {
  const watchdog guard("idle spells");
  heist::pool pool({.workers = 2, .stats = stats_kind::timed});
  // Only one worker has anything to do, for longer than the other one looks for work; then there is
  // something for both.
  ASSERT_TRUE(eventually([&] {
    pool.run([] {
      linger(std::chrono::milliseconds(2));
      signal_flag other;
      heist::fork_join([&] { static_cast<void>(other.wait()); }, [&] { other.raise(); });
    });
    return spells(pool.stats().histograms, idle_reason::serial_phase) > 0;
  }));
  EXPECT_GT(
      pool.stats().histograms.idle_ns[static_cast<std::size_t>(idle_reason::serial_phase)].sum, 0U);
}

TEST(IdleSpells, WhileEveryFiberWaitsAreBlocked) {
  const watchdog guard("idle spells");
  heist::pool pool({.workers = 2, .callers = heist::caller_kind::wait, .stats = stats_kind::timed});
  ASSERT_TRUE(eventually([&] {
    heist::latch opened(1);
    std::thread opener([&] {
      // Both workers sleep by then.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      opened.count_down();
    });
    pool.run([&] { opened.wait(); });
    opener.join();
    return spells(pool.stats().histograms, idle_reason::blocked) > 0;
  }));
}

TEST(IdleSpells, BetweenTwoCallsHaveNoWork) {
  const watchdog guard("idle spells");
  heist::pool pool({.workers = 1, .callers = heist::caller_kind::wait, .stats = stats_kind::timed});
  ASSERT_TRUE(eventually([&] {
    pool.run([] {});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return spells(pool.stats().histograms, idle_reason::no_work) > 0;
  }));
  const auto h = pool.stats().histograms;
  EXPECT_EQ(spells(h, idle_reason::private_work), 0U);
  EXPECT_EQ(spells(h, idle_reason::serial_phase), 0U);
}

TEST(Histograms, AWakeUpFromOutsideIsTimed) {
  const watchdog guard("wake-ups");
  heist::pool pool({.workers = 1, .callers = heist::caller_kind::wait, .stats = stats_kind::timed});
  ASSERT_TRUE(eventually([&] {
    static_cast<void>(eventually([&] { return pool.stats().total.parks > 0; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pool.run([] {});
    return pool.stats().histograms.wake_ns.count() > 0;
  }));
  EXPECT_GT(pool.stats().histograms.wake_ns.sum, 0U);
}

TEST(Histograms, AreInTheText) {
  heist::pool pool({.workers = 2, .stats = stats_kind::timed});
  pool.run([] { return fib(15); });
  const std::string text = to_string(pool.stats());
  for (const char* line : {"time of a steal", "jobs on its victim", "places to its victim",
                           "time to wake", "idle: no_work", "idle: serial_phase"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(Histograms, PinnedWorkersKnowTheirDistance) {
  heist::pool pool(
      {.workers = 2, .placement = heist::placement_kind::pinned, .stats = stats_kind::timed});
  const watchdog guard("pinned workers");
  ASSERT_TRUE(eventually([&] {
    pool.run([] { return fib(18); });
    return pool.stats().total.steals > 0;
  }));
  ASSERT_TRUE(eventually([&] {
    const auto s = pool.stats();
    const auto& d = s.histograms.steals_by_distance;
    return std::accumulate(d.begin(), d.end(), std::uint64_t{0}) == s.total.steals;
  }));
}

using HistogramsFromEnvironment = fresh_process;

TEST_F(HistogramsFromEnvironment, TimedIsALeastWhatEveryPoolMeasures) {
  EXPECT_EXIT(run_and_exit([] {
                ::setenv("HEIST_STATS", "timed", 1);
                heist::pool pool({.workers = 2});
                if (!pool.stats().has_histograms || pool.config().stats != stats_kind::timed)
                  throw std::runtime_error("it measures nothing");
                heist::pool full({.workers = 1, .stats = stats_kind::full});
                if (full.config().stats != stats_kind::full)
                  throw std::runtime_error("it counts less than was asked for");
              }),
              testing::ExitedWithCode(0), "time of a steal");
}

}  // namespace
}  // namespace heist_test
