#include "report/samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heist::report {
namespace {

using testing::ElementsAre;

TEST(Samples, MedianIsAValueThatWasMeasured) {
  EXPECT_EQ(samples({3, 1, 2}).median(), 2);
  EXPECT_EQ(samples({4, 1, 3, 2}).median(), 2);
  EXPECT_EQ(samples({7}).median(), 7);
}

TEST(Samples, LeastAndGreatestAreTheEnds) {
  const samples some({2, 9, -1, 4});
  EXPECT_EQ(some.least(), -1);
  EXPECT_EQ(some.greatest(), 9);
}

TEST(Samples, QuantileLeavesItsShareBelow) {
  samples hundred;
  for (int i = 100; i >= 0; --i) hundred.add(i);
  EXPECT_EQ(hundred.quantile(0.9), 90);
  EXPECT_EQ(hundred.quantile(0), 0);
  EXPECT_EQ(hundred.quantile(1), 100);
}

TEST(Samples, KeepTheOrderInWhichTheyWereTaken) {
  samples some({3, 1});
  some.add(2);
  static_cast<void>(some.median());
  EXPECT_THAT(some.values(), ElementsAre(3, 1, 2));
}

TEST(Samples, RatioIsOfValuesOfTheSameRound) {
  EXPECT_THAT(ratio(samples({10, 30}), samples({5, 10})).values(), ElementsAre(2, 3));
  EXPECT_THAT(product(samples({10, 30}), samples({5, 10})).values(), ElementsAre(50, 300));
  EXPECT_THAT(scaled(samples({1, 2}), 1000).values(), ElementsAre(1000, 2000));
}

TEST(Samples, RatioEndsWithTheShorterOne) {
  EXPECT_THAT(ratio(samples({10, 30, 50}), samples({5})).values(), ElementsAre(2));
  EXPECT_TRUE(ratio(samples(), samples({5})).empty());
}

}  // namespace
}  // namespace heist::report
