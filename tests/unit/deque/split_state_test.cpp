// The packed word of the split deque returns what was stored, up to the limits of each field.
#include <gtest/gtest.h>

#include <cstdint>

#include "heist/deque/split_control.hpp"

namespace heist_test {
namespace {

using heist::deque::split_state;

constexpr std::uint32_t stride = 64;
using state = split_state<stride>;
constexpr std::uint32_t top = state::max_units * stride;

static_assert(state::unpack(state{0, 0, 0, 0}.pack()) == state{0, 0, 0, 0});

TEST(SplitState, PackingKeepsEveryFieldApart) {
  const state cases[] = {
      {0, 0, 0, 0},
      {top, 0, 0, 0},
      {0, top, 0, 0},
      {0, 0, top, 0},
      {0, 0, 0, state::tag_mask},
      {top, top, top, state::tag_mask},
      {stride, 2 * stride, 3 * stride, 0x0123'4567'89ab'cdULL},
      {stride, 2 * stride, 3 * stride, std::uint64_t{1} << 32},
      {stride, 2 * stride, 3 * stride, (std::uint64_t{1} << 32) - 1},
      {stride, 2 * stride, 3 * stride, std::uint64_t{1} << 55},
  };
  for (const state& s : cases) EXPECT_EQ(state::unpack(s.pack()), s);
}

TEST(SplitState, EachBitOfEachFieldHasItsOwnPlace) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  const auto take = [&](const state& s) {
    const auto words = s.pack();
    EXPECT_EQ(words.low & low, 0U);
    EXPECT_EQ(words.high & high, 0U);
    EXPECT_EQ(__builtin_popcountll(words.low) + __builtin_popcountll(words.high), 1);
    low |= words.low;
    high |= words.high;
  };
  for (std::uint32_t bit = 0; bit < 20; ++bit) {
    take({stride << bit, 0, 0, 0});
    take({0, stride << bit, 0, 0});
    take({0, 0, stride << bit, 0});
  }
  for (std::uint32_t bit = 0; bit < 56; ++bit) take({0, 0, 0, std::uint64_t{1} << bit});
}

TEST(SplitState, BoundIsTheFirstHalfOfTheHighWordInMemory) {
  const auto words = state{0, 0, 5 * stride, state::tag_mask}.pack();
  EXPECT_EQ(static_cast<std::uint32_t>(words.high), 5 * stride);
}

TEST(SplitState, TheTagWrapsToZero) {
  EXPECT_EQ((state{0, 0, 0, 0}.next_tag()), 1U);
  EXPECT_EQ((state{0, 0, 0, (std::uint64_t{1} << 32) - 1}.next_tag()), std::uint64_t{1} << 32);
  EXPECT_EQ((state{0, 0, 0, state::tag_mask}.next_tag()), 0U);
}

TEST(SplitState, AStrideOfOneUsesUnitsAsPositions) {
  using narrow = split_state<1>;
  const narrow s{narrow::max_units, narrow::max_units - 1, narrow::max_units, 7};
  EXPECT_EQ(narrow::unpack(s.pack()), s);
}

}  // namespace
}  // namespace heist_test
