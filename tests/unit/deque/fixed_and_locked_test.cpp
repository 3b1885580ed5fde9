// The deques with a lock and those of a fixed size, on one thread. The locked one is the oracle for
// the others, so it is compared with std::deque.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>

#include "heist/deque/abp.hpp"
#include "heist/deque/bounded_ring.hpp"
#include "heist/deque/locked.hpp"
#include "heist/error.hpp"

namespace heist_test {
namespace {

using heist::deque::push_result;
using heist::deque::steal_result;
using locked = heist::deque::locked<std::uintptr_t>;

TEST(LockedDeque, TheNewestIsPoppedAndTheOldestIsStolen) {
  locked d(2);
  auto owner = d.owner();
  auto thief = d.thief();
  for (std::uintptr_t i = 0; i < 5; ++i) EXPECT_EQ(owner.push(i), push_result::ok);
  EXPECT_EQ(owner.pop(), 4U);
  EXPECT_EQ(thief.steal().item, 0U);
  EXPECT_EQ(thief.steal().item, 1U);
  EXPECT_EQ(owner.pop(), 3U);
  EXPECT_EQ(d.size(), 1U);
  EXPECT_EQ(thief.steal().item, 2U);
  EXPECT_EQ(owner.pop(), std::nullopt);
  EXPECT_EQ(thief.steal().result, steal_result::empty);
}

TEST(LockedDeque, AgreesWithAnOracleOverRandomOperations) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    locked d(std::size_t{1} << seed % 4);
    std::deque<std::uintptr_t> oracle;
    for (std::uintptr_t i = 0; i < 2000; ++i) {
      switch (random() % 4) {
        case 0:
        case 1:
          ASSERT_EQ(d.owner().push(i), push_result::ok);
          oracle.push_back(i);
          break;
        case 2: {
          std::optional<std::uintptr_t> wanted;
          if (!oracle.empty()) {
            wanted = oracle.back();
            oracle.pop_back();
          }
          ASSERT_EQ(d.owner().pop(), wanted);
          break;
        }
        default: {
          const auto answer = d.thief().steal();
          ASSERT_EQ(answer.result, oracle.empty() ? steal_result::empty : steal_result::taken);
          if (oracle.empty()) break;
          ASSERT_EQ(answer.item, oracle.front());
          oracle.pop_front();
        }
      }
      ASSERT_EQ(d.size(), oracle.size());
    }
  }
}

// ---- The bounded ring's own properties. property_test.cpp tests those that it shares with the
// other deques.

using ring = heist::deque::bounded_ring<std::uintptr_t>;

TEST(BoundedRing, AFullRingRefusesAndKeepsWhatItHas) {
  ring d(4);
  auto owner = d.owner();
  for (std::uintptr_t i = 1; i <= 4; ++i) EXPECT_EQ(owner.push(i), push_result::ok);
  EXPECT_EQ(owner.push(5), push_result::full);
  EXPECT_EQ(owner.push(6), push_result::full);
  EXPECT_EQ(owner.size_hint(), 4U);
  auto thief = d.thief();
  for (std::uintptr_t i = 1; i <= 4; ++i) EXPECT_EQ(thief.steal().item, i);
  EXPECT_EQ(thief.steal().result, steal_result::empty);
}

TEST(BoundedRing, AStealMakesRoomAtOnce) {
  ring d(2);
  auto owner = d.owner();
  EXPECT_EQ(owner.push(1), push_result::ok);
  EXPECT_EQ(owner.push(2), push_result::ok);
  for (std::uintptr_t i = 3; i < 100; ++i) {
    EXPECT_EQ(owner.push(i), push_result::full);
    EXPECT_EQ(d.thief().steal().item, i - 2);
    EXPECT_EQ(owner.push(i), push_result::ok);
  }
  EXPECT_EQ(owner.pop(), 99U);
  EXPECT_EQ(owner.pop(), 98U);
  EXPECT_EQ(owner.pop(), std::nullopt);
}

TEST(BoundedRing, AnEmptyPopLeavesItEmpty) {
  ring d(2);
  auto owner = d.owner();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(owner.pop(), std::nullopt);
    EXPECT_EQ(owner.size_hint(), 0U);
    EXPECT_EQ(d.thief().steal().result, steal_result::empty);
  }
  EXPECT_EQ(owner.push(7), push_result::ok);
  EXPECT_EQ(owner.size_hint(), 1U);
  EXPECT_EQ(owner.pop(), 7U);
}

TEST(BoundedRing, ARingOfOneWorks) {
  ring d(1);
  auto owner = d.owner();
  for (std::uintptr_t i = 0; i < 5; ++i) {
    EXPECT_EQ(owner.push(i), push_result::ok);
    EXPECT_EQ(owner.push(99), push_result::full);
    if (i % 2 == 0)
      EXPECT_EQ(owner.pop(), i);
    else
      EXPECT_EQ(d.thief().steal().item, i);
  }
}

TEST(BoundedRing, ACapacityThatItCantHaveIsNamedWithTheLimit) {
  const auto message = [](std::size_t capacity) {
    try {
      const ring d(capacity);
    } catch (const heist::usage_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(0), testing::StartsWith("bounded_ring: a capacity of 0; it must be"));
  EXPECT_THAT(message(0), testing::HasSubstr(std::to_string(ring::max_capacity)));
  EXPECT_THAT(message(3), testing::HasSubstr("a power of two"));
  EXPECT_THAT(message(2 * ring::max_capacity),
              testing::HasSubstr(std::to_string(ring::max_capacity)));
  EXPECT_EQ(ring(8).capacity(), 8U);
}

// ---- The ABP deque: the age, and the return to the start of the array.

using heist::deque::abp_age;
using abp = heist::deque::abp<std::uintptr_t>;

static_assert(sizeof(abp_age) == 8);

TEST(AbpAge, TopAndTagAreKeptApart) {
  for (const std::uint32_t top : {0U, 1U, 0x1234U, abp_age::max_top})
    for (const std::uint64_t tag :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x1234'5678'9abc}, abp_age::max_tag}) {
      const abp_age age(top, tag);
      EXPECT_EQ(age.top(), top);
      EXPECT_EQ(age.tag(), tag);
    }
}

TEST(AbpAge, ARaiseKeepsTheTagAndARestartChangesIt) {
  const abp_age age(5, 9);
  EXPECT_EQ(age.raised(), abp_age(6, 9));
  EXPECT_EQ(age.restarted(), abp_age(0, 10));
  EXPECT_EQ(abp_age(), abp_age(0, 0));
}

TEST(AbpAge, ARaiseToTheEndOfTheLargestArrayLeavesTheTag) {
  const abp_age last(abp_age::max_top - 1, abp_age::max_tag);
  EXPECT_EQ(last.raised(), abp_age(abp_age::max_top, abp_age::max_tag));
}

TEST(AbpAge, TheTagWrapsToZero) {
  EXPECT_EQ(abp_age(3, abp_age::max_tag).restarted(), abp_age(0, 0));
}

TEST(AbpAge, TheTagIsComparedToo) {
  EXPECT_NE(abp_age(0, 1), abp_age(0, 2));
  EXPECT_NE(abp_age(1, 1), abp_age(2, 1));
}

TEST(Abp, PlacesOfStolenItemsComeBackWhenAPopFindsNothing) {
  abp d(3);
  auto owner = d.owner();
  auto thief = d.thief();
  for (std::uintptr_t i = 1; i <= 3; ++i) EXPECT_EQ(owner.push(i), push_result::ok);
  EXPECT_EQ(owner.push(4), push_result::full);
  for (std::uintptr_t i = 1; i <= 3; ++i) EXPECT_EQ(thief.steal().item, i);
  EXPECT_EQ(owner.size_hint(), 0U);
  EXPECT_EQ(owner.push(4), push_result::full);  // bottom is still at the end
  EXPECT_EQ(owner.pop(), std::nullopt);
  for (std::uintptr_t i = 4; i <= 6; ++i) EXPECT_EQ(owner.push(i), push_result::ok);
  EXPECT_EQ(thief.steal().item, 4U);
  EXPECT_EQ(owner.pop(), 6U);
}

TEST(Abp, ThePopOfTheLastItemStartsAgainToo) {
  abp d(2);
  auto owner = d.owner();
  for (std::uintptr_t i = 0; i < 100; i += 2) {
    EXPECT_EQ(owner.push(i), push_result::ok);
    EXPECT_EQ(owner.push(i + 1), push_result::ok);
    EXPECT_EQ(owner.push(99), push_result::full);
    EXPECT_EQ(d.thief().steal().item, i);
    EXPECT_EQ(owner.pop(), i + 1);
    EXPECT_EQ(owner.size_hint(), 0U);
  }
  EXPECT_EQ(owner.pop(), std::nullopt);
  EXPECT_EQ(d.thief().steal().result, steal_result::empty);
}

TEST(Abp, TheLargestArrayFillsToItsEnd) {
  abp d(abp::max_capacity);
  auto owner = d.owner();
  for (std::uintptr_t i = 0; i < abp::max_capacity; ++i) ASSERT_EQ(owner.push(i), push_result::ok);
  EXPECT_EQ(owner.push(0), push_result::full);
  for (std::uintptr_t i = 0; i < abp::max_capacity; ++i) ASSERT_EQ(d.thief().steal().item, i);
  EXPECT_EQ(d.thief().steal().result, steal_result::empty);
  EXPECT_EQ(owner.pop(), std::nullopt);
  EXPECT_EQ(owner.push(1), push_result::ok);
  EXPECT_EQ(d.thief().steal().item, 1U);
}

TEST(Abp, ACapacityThatItCantHaveIsNamedWithTheLimit) {
  const auto message = [](std::size_t capacity) {
    try {
      const abp d(capacity);
    } catch (const heist::usage_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(0), "abp: a capacity of 0; it must be from 1 to 65535");
  EXPECT_EQ(message(65536), "abp: a capacity of 65536; it must be from 1 to 65535");
  EXPECT_EQ(abp(5).capacity(), 5U);
}

}  // namespace
}  // namespace heist_test
