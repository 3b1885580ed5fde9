// The ABP deque on one thread: the age, and the return to the start of the array.
#include "heist/deque/abp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "heist/error.hpp"

namespace heist_test {
namespace {

using heist::deque::abp_age;
using heist::deque::push_result;
using heist::deque::steal_result;
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
