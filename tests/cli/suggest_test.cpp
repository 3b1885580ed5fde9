#include <gtest/gtest.h>

#include "cli/args/suggest.hpp"

using namespace heist::cli;

TEST(Suggest, FindsTheNearestName) {
  const std::vector<std::string_view> names = {"fib", "quicksort", "mergesort", "uts"};
  EXPECT_EQ(nearest_name("fbi", names), "fib");
  EXPECT_EQ(nearest_name("quiksort", names), "quicksort");
  EXPECT_EQ(nearest_name("mergsrt", names), "mergesort");
  EXPECT_EQ(nearest_name("ust", names), "uts");
}

TEST(Suggest, SaysNothingRatherThanNonsense) {
  const std::vector<std::string_view> names = {"fib", "quicksort"};
  EXPECT_EQ(nearest_name("spreadsheet", names), "");
  EXPECT_EQ(nearest_name("", {}), "");
  EXPECT_EQ(nearest_name("foo", names), "");
  EXPECT_EQ(nearest_name("ab", {"abp", "abcd"}), "abp");
  EXPECT_EQ(nearest_name("x", {"a", "xy"}), "");
}
