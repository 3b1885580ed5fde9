// The 16-byte word under contention: it changes as a whole or not at all.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "heist/deque/atomics.hpp"

namespace heist_test {
namespace {

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
