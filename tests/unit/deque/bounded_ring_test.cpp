// The bounded ring's own properties on one thread. property_test.cpp tests those that it shares
// with the other deques.
#include "heist/deque/bounded_ring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "heist/error.hpp"

namespace heist_test {
namespace {

using heist::deque::push_result;
using heist::deque::steal_result;
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

}  // namespace
}  // namespace heist_test
