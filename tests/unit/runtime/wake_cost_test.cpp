// How a pool learns what its wake-ups cost.
#include "runtime/core/wake_cost.hpp"

#include <gtest/gtest.h>

namespace heist_test {
namespace {

using heist::detail::wake_cost;
using std::chrono::microseconds;

void wake(wake_cost& c, microseconds took) {
  const auto now = wake_cost::clock::now();
  c.begin(now);
  c.arrive(now + took);
}

TEST(WakeCost, FollowsWhatIsMeasured) {
  wake_cost c;
  for (int i = 0; i < 100; ++i) wake(c, microseconds(50));
  EXPECT_NEAR(static_cast<double>(c.average().count()), 50e3, 1e3);
  for (int i = 0; i < 100; ++i) wake(c, microseconds(15));
  EXPECT_NEAR(static_cast<double>(c.average().count()), 15e3, 1e3);
}

TEST(WakeCost, IsBounded) {
  wake_cost c;
  for (int i = 0; i < 100; ++i) wake(c, std::chrono::seconds(1));
  EXPECT_LE(c.average(), wake_cost::greatest);
  for (int i = 0; i < 200; ++i) wake(c, microseconds(0));
  EXPECT_GE(c.average(), wake_cost::least);
  EXPECT_LE(c.average(), wake_cost::least + microseconds(1));
}

TEST(WakeCost, OfSeveralArrivalsTheFirstCounts) {
  wake_cost c;
  const auto now = wake_cost::clock::now();
  c.begin(now);
  c.arrive(now + microseconds(20));
  const auto before = c.average();
  c.arrive(now + microseconds(100));
  EXPECT_EQ(c.average(), before);
}

}  // namespace
}  // namespace heist_test
