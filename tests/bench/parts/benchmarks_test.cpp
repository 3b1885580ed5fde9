#include "bench/benchmark.hpp"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace heist::bench
