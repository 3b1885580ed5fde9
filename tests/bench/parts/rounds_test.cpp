#include "bench/rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace heist::bench {
namespace {

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
