// worker_local and combinable: no value is shared, and nothing that was counted is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "heist/combinable.hpp"
#include "heist/detail/waiting.hpp"
#include "heist/error.hpp"
#include "heist/worker_local.hpp"
#include "tests/unit/tasks/support.hpp"

namespace heist_test {
namespace {

class OwnValues : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, OwnValues, testing::ValuesIn(pools()), name_of);

constexpr int depth = tsan || emulated ? 9 : 13;

TEST_P(OwnValues, WorkersCountWithoutLosingAnything) {
  heist::worker_local<long> counts(pool_);
  for (int round = 0; round < 5; ++round)
    pool_.run([&] { fork_tree(depth, [&] { ++counts.local(); }); });
  long total = 0;
  for (const long n : counts) total += n;
  EXPECT_EQ(total, 5L << depth);
  EXPECT_GE(counts.size(), 1U);
  EXPECT_LE(counts.size(), pool_.workers());
  counts.clear();
  EXPECT_EQ(counts.size(), 0U);
  EXPECT_EQ(counts.begin(), counts.end());
}

TEST_P(OwnValues, AWorkersValueIsTheOneOfItsIndex) {
  if (is_serial()) GTEST_SKIP() << "there is one worker";
  heist::worker_local<int> index(pool_, [this] { return pool_.worker_index(); });
  pool_.run(
      [&] { fork_tree(depth, [&] { EXPECT_EQ(index.local(), heist::this_worker::index()); }); });
  std::vector<int> seen(index.begin(), index.end());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST_P(OwnValues, ValuesNeedNotMove) {
  heist::worker_local<std::atomic<int>> count(pool_);
  pool_.run([&] { fork_tree(4, [&] { ++count.local(); }); });
  int total = 0;
  for (const auto& n : count) total += n.load();
  EXPECT_EQ(total, 16);
}

TEST_P(OwnValues, OnlyWorkersOfThePoolHaveOne) {
  if (is_serial()) GTEST_SKIP() << "every caller is the one worker";
  heist::worker_local<int> mine(pool_);
  EXPECT_THROW(mine.local(), heist::usage_error);
  heist::pool other({.workers = 2});
  other.run([&] { EXPECT_THROW(mine.local(), heist::usage_error); });
  pool_.run([&] { other.run([&] { EXPECT_THROW(mine.local(), heist::usage_error); }); });
  EXPECT_EQ(mine.size(), 0U);
}

TEST_P(OwnValues, AFactoryThatThrowsIsAskedAgain) {
  std::atomic<int> calls{0};
  const auto factory = [&calls]() -> long {
    if (calls++ == 0) throw std::runtime_error("not yet");
    return 7;
  };
  heist::worker_local<long> at_workers(pool_, factory);
  pool_.run([&] {
    EXPECT_THROW(at_workers.local(), std::runtime_error);
    EXPECT_EQ(at_workers.local(), 7);
  });
  EXPECT_EQ(at_workers.size(), 1U);
  calls = 0;
  heist::combinable<long> at_threads(factory);
  EXPECT_THROW(at_threads.local(), std::runtime_error);
  EXPECT_EQ(at_threads.size(), 0U);
  EXPECT_EQ(at_threads.local(), 7);
}

// The factory's function may be on another worker when it returns, and another function may have
// called local() meanwhile.
TEST_P(OwnValues, AFactoryMayFork) {
  const long before = counted::alive;
  {
    const auto factory = [] {
      fork_tree(3, [] { linger(std::chrono::microseconds(5)); });
      return counted();
    };
    heist::worker_local<counted> at_workers(pool_, factory);
    heist::combinable<counted> at_threads(factory);
    for (int round = 0; round < scaled(20); ++round) {
      pool_.run([&] {
        fork_tree(5, [&] {
          at_workers.local();
          at_threads.local();
        });
      });
      EXPECT_EQ(counted::alive - before, static_cast<long>(at_workers.size() + at_threads.size()));
      at_workers.clear();
      at_threads.clear();
    }
  }
  EXPECT_EQ(counted::alive, before);
}

TEST_P(OwnValues, CombinesWhatWorkersOfTwoPoolsAndThreadsOutsideCounted) {
  heist::combinable<long> sum;
  EXPECT_EQ(sum.combine(std::plus{}), 0);
  const auto count = [&sum] { sum.local() += 3; };
  heist::pool inner(config());
  const auto nested = [&] {
    fork_tree(4, [&] {
      count();
      inner.run([&] { fork_tree(3, count); });
      count();
    });
  };
  // Under HEIST_SERIAL two threads would count as one worker; combinable distinguishes them
  // nevertheless.
  std::thread outside([&] {
    for (int i = 0; i < 1000; ++i) count();
    pool_.run(nested);
  });
  pool_.run(nested);
  count();
  outside.join();
  EXPECT_EQ(sum.combine(std::plus{}), 3 * (2 * 16 * 10 + 1001));
  long total = 0;
  sum.combine_each([&total](long n) { total += n; });
  EXPECT_EQ(total, 3 * (2 * 16 * 10 + 1001));
  sum.clear();
  EXPECT_EQ(sum.size(), 0U);
}

// A thread that ends leaves its value behind; a later thread has another value.
TEST(Combinable, EveryThreadHasItsOwn) {
  heist::combinable<std::uint64_t> mine([] { return std::uint64_t{1}; });
  constexpr int threads = 200;  // several in each list
  for (int i = 0; i < threads; ++i) {
    std::thread one([&mine] {
      EXPECT_EQ(mine.local(), 1U);
      mine.local() += 1;
      EXPECT_EQ(mine.local(), 2U);
    });
    one.join();
  }
  EXPECT_EQ(mine.size(), std::size_t{threads});
  EXPECT_EQ(mine.combine(std::plus{}), std::uint64_t{2 * threads});
}

TEST(Combinable, ValuesShareNoCacheLine) {
  heist::combinable<char> bytes;
  std::set<std::uintptr_t> lines;
  for (int i = 0; i < 8; ++i) {
    std::thread one([&] { lines.insert(reinterpret_cast<std::uintptr_t>(&bytes.local()) / 128); });
    one.join();
  }
  EXPECT_EQ(lines.size(), 8U);
}

}  // namespace
}  // namespace heist_test
