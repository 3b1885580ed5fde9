// The packed word of the split deque returns what was stored, up to the limits of each field.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "heist/deque/atomics.hpp"
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

// ---- The 16-byte word under contention: it changes as a whole or not at all.

using heist::deque::packed_words;
using heist::deque::wide_word;

struct pair_state {
  std::uint64_t low;
  std::uint64_t high;
  [[nodiscard]] constexpr packed_words pack() const noexcept { return {low, high}; }
  static constexpr pair_state unpack(packed_words p) noexcept { return {p.low, p.high}; }
  friend constexpr bool operator==(const pair_state&, const pair_state&) = default;
};

constexpr std::uint64_t mixed(std::uint64_t n) { return n * 0x9E37'79B9'7F4A'7C15ULL; }

TEST(WideWord, ExchangesWhenBothHalvesMatch) {
  wide_word<pair_state> word({1, 2});
  EXPECT_TRUE(word.compare_exchange({1, 2}, {3, 4}));
  EXPECT_EQ(word.load(), (pair_state{3, 4}));
  EXPECT_EQ(word.high(), 4U);
}

TEST(WideWord, RefusesWhenOneHalfDiffers) {
  wide_word<pair_state> word({1, 2});
  EXPECT_FALSE(word.compare_exchange({1, 3}, {5, 6}));
  EXPECT_FALSE(word.compare_exchange({2, 2}, {5, 6}));
  EXPECT_EQ(word.load(), (pair_state{1, 2}));
}

TEST(WideWord, TheHighHalfLiesWhereTheFastPathLooks) {
  wide_word<pair_state> word({1, 0x1122'3344'5566'7788ULL});
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&word);
  std::uint64_t high;
  __builtin_memcpy(&high, bytes + wide_word<pair_state>::high_offset, sizeof(high));
  EXPECT_EQ(high, 0x1122'3344'5566'7788ULL);
}

// Each success adds one to low and keeps high = mixed(low); a torn or repeated exchange would break
// one of the two.
TEST(WideWord, UnderContentionEverySuccessIsOneStep) {
#if defined(HEIST_TEST_EMULATED)
  constexpr std::uint64_t steps_each = 2'000;
#else
  constexpr std::uint64_t steps_each = 50'000;
#endif
  constexpr unsigned threads = 4;
  wide_word<pair_state> word({0, mixed(0)});
  std::atomic<std::uint64_t> torn{0};
  std::vector<std::thread> all;
  for (unsigned t = 0; t < threads; ++t)
    all.emplace_back([&] {
      for (std::uint64_t done = 0; done < steps_each;) {
        const pair_state seen = word.load();
        if (word.compare_exchange(seen, {seen.low + 1, mixed(seen.low + 1)})) {
          // Relaxed: this is a count that is read after the joins.
          if (seen.high != mixed(seen.low)) torn.fetch_add(1, std::memory_order_relaxed);
          ++done;
        }
      }
    });
  for (auto& thread : all) thread.join();
  EXPECT_EQ(torn.load(std::memory_order_relaxed), 0U);
  EXPECT_EQ(word.load(), (pair_state{threads * steps_each, mixed(threads * steps_each)}));
}

}  // namespace
}  // namespace heist_test
