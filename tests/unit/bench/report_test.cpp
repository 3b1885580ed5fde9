#include "bench/report.hpp"

#include <gtest/gtest.h>

#include <set>

#include "bench/benchmark.hpp"

namespace heist::bench {
namespace {

TEST(Target, IsMetUpToItsLimit) {
  target most{"time", "ms", bound::at_most, 2, 2.0, ""};
  EXPECT_TRUE(most.met());
  most.measured = 2.1;
  EXPECT_FALSE(most.met());

  target least{"speedup", "", bound::at_least, 2, 2.0, ""};
  EXPECT_TRUE(least.met());
  least.measured = 1.9;
  EXPECT_FALSE(least.met());
}

TEST(Target, ThatWasNotMeasuredIsNotMet) {
  EXPECT_FALSE((target{"time", "", bound::at_most, 2, {}, "why"}).met());
}

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

}  // namespace
}  // namespace heist::bench
