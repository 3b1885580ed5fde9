// The random numbers: the published sequences, and integers without bias.
#include "lab/model/random.hpp"

#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace {

using heist::lab::rng;
using heist::lab::splitmix64;

TEST(Splitmix64, GivesThePublishedSequence) {
  std::uint64_t state = 1234567;
  EXPECT_EQ(splitmix64(state), 6457827717110365317U);
  EXPECT_EQ(splitmix64(state), 3203168211198807973U);
  EXPECT_EQ(splitmix64(state), 9817491932198370423U);
}

TEST(Rng, TheSameSeedGivesTheSameNumbersAndAnotherStreamOthers) {
  rng a(7), b(7), other_stream(7, 1), other_seed(8);
  int same_stream = 0;
  int same_seed = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto value = a.next();
    EXPECT_EQ(value, b.next());
    same_stream += value == other_stream.next() ? 1 : 0;
    same_seed += value == other_seed.next() ? 1 : 0;
  }
  EXPECT_EQ(same_stream, 0);
  EXPECT_EQ(same_seed, 0);
}

TEST(Rng, IntegersBelowABoundAreAllThereAndAboutEquallyOften) {
  for (const std::uint64_t bound : {1U, 2U, 3U, 7U, 10U, 64U}) {
    constexpr int per_value = 10'000;
    rng random(bound);
    std::vector<int> count(bound);
    for (std::uint64_t i = 0; i < bound * per_value; ++i) {
      const auto value = random.below(bound);
      ASSERT_LT(value, bound);
      ++count[value];
    }
    // Six standard deviations: of a billion seeds of a fair generator, one or two would fail.
    for (const int each : count) EXPECT_NEAR(each, per_value, 600) << bound;
  }
}

// With a multiplication alone, the values below 2^62 would come twice as often as the others.
TEST(Rng, ALargeBoundIsNotBiased) {
  constexpr std::uint64_t bound = (1ULL << 63U) + (1ULL << 62U);
  rng random(3);
  std::array<int, 3> thirds{};
  for (int i = 0; i < 300'000; ++i) ++thirds[random.below(bound) >> 62U];
  for (const int each : thirds) EXPECT_NEAR(each, 100'000, 1600);
}

TEST(Rng, BetweenIncludesBothEnds) {
  rng random(5);
  bool least = false;
  bool greatest = false;
  for (int i = 0; i < 1000; ++i) {
    const auto value = random.between(10, 13);
    ASSERT_GE(value, 10U);
    ASSERT_LE(value, 13U);
    least = least || value == 10;
    greatest = greatest || value == 13;
  }
  EXPECT_TRUE(least);
  EXPECT_TRUE(greatest);
  EXPECT_EQ(random.between(4, 4), 4U);
  (void)random.between(0, UINT64_MAX);
}

TEST(Rng, UnitIsBelowOneAndCentred) {
  rng random(11);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double value = random.unit();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.006);
}

TEST(Rng, ShuffleIsAPermutationAndEveryPlaceIsReached) {
  rng random(2);
  std::array<std::array<int, 4>, 4> count{};
  for (int round = 0; round < 40'000; ++round) {
    std::vector<int> values(4);
    std::iota(values.begin(), values.end(), 0);
    random.shuffle(values);
    for (std::size_t place = 0; place < 4; ++place)
      ++count[place][static_cast<std::size_t>(values[place])];
  }
  for (const auto& place : count)
    for (const int each : place) EXPECT_NEAR(each, 10'000, 520);
}

}  // namespace
