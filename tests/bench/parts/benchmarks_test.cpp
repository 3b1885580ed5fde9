#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include <heist/pool.hpp>

#include "bench/benchmark.hpp"
#include "bench/fork_join/fib.hpp"
#include "bench/rounds.hpp"

namespace heist::bench {
namespace {

TEST(Benchmarks, HaveNamesOfTheirOwnAndTheSameOptionsAtBothScales) {
  std::set<std::string_view> names;
  for (const auto& each : all()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_FALSE(each.summary.empty()) << each.name;
    const auto full = each.options(scale::full);
    const auto quick = each.options(scale::quick);
    ASSERT_EQ(full.size(), quick.size()) << each.name;
    for (std::size_t i = 0; i < full.size(); ++i) EXPECT_EQ(full[i].name, quick[i].name);
    // The defaults must be allowed values.
    EXPECT_NO_THROW(workloads::option_values(each.name, full)) << each.name;
    EXPECT_NO_THROW(workloads::option_values(each.name, quick)) << each.name;
  }
}

TEST(Fib, ByAdditionAndItsForks) {
  EXPECT_EQ(fib_by_addition(0), 0u);
  EXPECT_EQ(fib_by_addition(39), 63'245'986u);
  EXPECT_EQ(forks_of_fib(39), 102'334'154u);
  EXPECT_EQ(forks_of_fib(2), 1u);
}

TEST(Fib, EveryContestantSaysTheSame) {
  pool on({.workers = 2});
  for (std::size_t n = 0; n <= 15; ++n) {
    const auto expected = fib_by_addition(n);
    EXPECT_EQ(serial::fib(n), expected);
    EXPECT_EQ(on.run([n] { return forked::fib(n); }), expected);
    for (const unsigned threads : {1u, 2u}) {
      if (onetbb::is_built_in()) {
        EXPECT_EQ(onetbb::fib_by_task_group(n, threads), expected);
        EXPECT_EQ(onetbb::fib_by_parallel_invoke(n, threads), expected);
      }
      if (openmp::is_built_in()) {
        EXPECT_EQ(openmp::fib_by_tasks(n, threads), expected);
      }
    }
  }
}

TEST(Contest, ContestantsTakeTurns) {
  std::string order;
  std::vector<std::string> announced;
  contest turns;
  auto& a = turns.add("a", [&] {
    order += 'A';
    return static_cast<double>(order.size());
  });
  turns.add("b", [&] {
    order += 'B';
    return 0.0;
  });
  settings with;
  with.repeat = 3;
  with.announce = [&](const std::string& what) { announced.push_back(what); };
  turns.play(with);
  EXPECT_EQ(order, "ABABAB");
  EXPECT_THAT(a.results.values(), testing::ElementsAre(1, 3, 5));
  EXPECT_THAT(announced, testing::Contains("round 2 of 3, b"));
}

TEST(TimeChecked, RefusesAWrongResult) {
  EXPECT_GE(time_checked("right", 4, [] { return std::uint64_t{4}; }), 0);
  try {
    static_cast<void>(time_checked("fib", 4, [] { return std::uint64_t{5}; }));
    FAIL() << "5 passed for 4";
  } catch (const wrong_result& error) {
    EXPECT_STREQ(error.what(), "fib: 5 instead of 4");
  }
}

TEST(WorkersOf, IsWhatWasAskedForOrThePoolsDefault) {
  settings with;
  with.workers = 3;
  EXPECT_EQ(workers_of(with), 3u);
  with.workers = 0;
  EXPECT_EQ(workers_of(with), pool{}.workers());
}

}  // namespace
}  // namespace heist::bench
