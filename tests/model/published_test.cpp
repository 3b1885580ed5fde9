// Published deques with known mistakes: each makes its mistake, and no other, in a program that
// heist's own form passes in every schedule.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/model/published/stories.hpp"

namespace heist_model::published {

// For GoogleTest.
void PrintTo(const story& s, std::ostream* out);
void PrintTo(const story& s, std::ostream* out) { *out << s.name; }

namespace {

class Published : public testing::TestWithParam<story> {};

TEST_P(Published, MakesItsMistake) {
  const story& s = GetParam();
  const verdict v = s.published(s.usual);
  EXPECT_FALSE(v.what.sound);
  EXPECT_EQ(v.what.how, s.how) << v.what.history;
  EXPECT_EQ(v.found, s.shown) << v.what.history;
  std::cout << v.what.how << " in schedule " << v.what.schedules << '\n';
}

TEST_P(Published, OursDoesNot) {
  const story& s = GetParam();
  const verdict v = s.ours(s.usual);
  EXPECT_TRUE(v.what.sound) << v.what.how << '\n' << v.what.history;
  std::cout << v.what.schedules << " schedules\n";
}

INSTANTIATE_TEST_SUITE_P(All, Published, testing::ValuesIn(stories()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace heist_model::published
