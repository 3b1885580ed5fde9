// The check of a numbered promise, where it is on.
#if !defined(HEIST_CHECKS_INVARIANTS)
#define HEIST_CHECKS_INVARIANTS
#endif
#include "heist/detail/invariant.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Invariant, ThatHoldsIsEvaluatedOnce) {
  int looks = 0;
  HEIST_INVARIANT("a.hpp I1", ++looks == 1);
  EXPECT_EQ(looks, 1);
}

TEST(InvariantDeathTest, ThatIsBrokenEndsTheProgramWithItsNumberAndPlace) {
  const int tail = 2, split = 1;
  EXPECT_DEATH(HEIST_INVARIANT("a.hpp I1", tail <= split),
               "heist: .*invariant_test.cpp:[0-9]+: a.hpp I1 does not hold: tail <= split");
}

}  // namespace
