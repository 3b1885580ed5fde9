// The counters count the right events, none twice, and lose none.
#include <gtest/gtest.h>

#include <string>

#include "heist/heist.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

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
