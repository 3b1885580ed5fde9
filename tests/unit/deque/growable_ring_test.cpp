// The ring of the deques that grow, with thieves that stop in the middle of a steal. Everything
// here happens on one thread, at exactly the moments under test.
#include "heist/deque/growable_ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <optional>

#include "tests/unit/deque/counting_seam.hpp"

namespace heist_test {
namespace {

using ring = heist::deque::growable_ring<std::uintptr_t, counting_atomics>;

class GrowableRing : public testing::Test {
 protected:
  GrowableRing() { counted = {}; }

  // Makes a ring of `capacity` slots with items at [1, bottom), each the number of its position.
  ring& filled(std::size_t capacity, ring::position bottom) {
    ring& r = ring_.emplace(capacity, visitors_);
    for (ring::position p = 1; p != bottom; ++p) r.put(p, p);
    return r;
  }

  static void expect_items(const ring& r, ring::position top, ring::position bottom) {
    for (ring::position p = top; p != bottom; ++p) EXPECT_EQ(r.at(p), p);
  }

  ring::visitors visitors_;
  std::optional<ring> ring_;
};

TEST_F(GrowableRing, GrowingKeepsTheItemsAndFreesTheOldArray) {
  ring& r = filled(2, 3);
  EXPECT_TRUE(r.reserve(1, 3));
  EXPECT_EQ(r.capacity(), 4U);
  expect_items(r, 1, 3);
  EXPECT_FALSE(r.has_retired());
  EXPECT_EQ(counted.arrays, 1U);
  EXPECT_EQ(counted.slots, 4U);
}

TEST_F(GrowableRing, RoomForABatchMayTakeSeveralDoublings) {
  ring& r = filled(2, 3);
  EXPECT_TRUE(r.has_room(2, 3));
  EXPECT_FALSE(r.has_room(1, 3));
  EXPECT_TRUE(r.reserve(1, 3, 7));
  EXPECT_EQ(r.capacity(), 16U);
  EXPECT_TRUE(r.has_room(1, 3, 14));
  EXPECT_FALSE(r.has_room(1, 3, 15));
  expect_items(r, 1, 3);
  EXPECT_EQ(counted.made, 2U);
}

TEST_F(GrowableRing, ReserveDoesNothingWhenThereIsRoom) {
  ring& r = filled(4, 3);
  EXPECT_TRUE(r.reserve(1, 3, 2));
  EXPECT_EQ(r.capacity(), 4U);
  EXPECT_EQ(counted.made, 1U);
}

TEST_F(GrowableRing, MoreThanTheMaximumIsRefused) {
  ring& r = filled(2, 3);
  EXPECT_FALSE(r.reserve(1, 3, ring::max_capacity - 1));
  EXPECT_EQ(r.capacity(), 2U);
  expect_items(r, 1, 3);
  EXPECT_EQ(counted.made, 1U);
}

TEST_F(GrowableRing, RefusedMemoryChangesNothing) {
  ring& r = filled(2, 3);
  counted.largest_granted = 3;
  EXPECT_FALSE(r.reserve(1, 3));
  EXPECT_EQ(r.capacity(), 2U);
  EXPECT_FALSE(r.has_retired());
  expect_items(r, 1, 3);
  counted.largest_granted = 0;
  EXPECT_FALSE(r.shrink(3, 3, 1));
  EXPECT_EQ(r.capacity(), 2U);
}

TEST_F(GrowableRing, TheFirstArrayIsNeeded) {
  counted.largest_granted = 1;
  EXPECT_THROW(filled(2, 1), std::bad_alloc);
  EXPECT_EQ(counted.arrays, 0U);
}

TEST_F(GrowableRing, AThiefKeepsTheArrayThatItReads) {
  ring& r = filled(2, 3);
  {
    ring::visit thief(r);
    ASSERT_TRUE(thief.confirm());
    const ring::array seen = thief.current();
    EXPECT_TRUE(r.reserve(1, 3));
    r.reclaim();
    EXPECT_TRUE(r.has_retired());
    EXPECT_EQ(counted.slots, 2U + 4U);
    EXPECT_EQ(seen.at(1), 1U);
    EXPECT_EQ(seen.at(2), 2U);
  }
  r.reclaim();
  EXPECT_FALSE(r.has_retired());
  EXPECT_EQ(counted.slots, 4U);
}

TEST_F(GrowableRing, ThievesThatKeepComingDoNotHoldUpTheOldArray) {
  ring& r = filled(2, 3);
  std::optional<ring::visit> before(r);
  ASSERT_TRUE(before->confirm());
  EXPECT_TRUE(r.reserve(1, 3));
  ring::visit after(r);
  ASSERT_TRUE(after.confirm());
  r.reclaim();
  EXPECT_TRUE(r.has_retired());
  before.reset();
  r.reclaim();  // `after` is still there
  EXPECT_FALSE(r.has_retired());
  EXPECT_EQ(counted.slots, 4U);
  EXPECT_EQ(after.current().at(2), 2U);
}

TEST_F(GrowableRing, AThiefThatWasCountedTooLateLooksAgain) {
  ring& r = filled(2, 3);
  ring::visit thief(r);
  EXPECT_TRUE(r.reserve(1, 3));  // moves the epoch
  EXPECT_FALSE(thief.confirm());
  EXPECT_TRUE(thief.confirm());
  r.reclaim();  // it counts for the new epoch now
  EXPECT_FALSE(r.has_retired());
}

TEST_F(GrowableRing, AStalledThiefBoundsTheMemoryAndStopsNoGrowth) {
  ring& r = filled(1, 2);
  std::optional<ring::visit> thief(r);
  ASSERT_TRUE(thief->confirm());
  const ring::array seen = thief->current();
  for (ring::position bottom = 2; bottom < 1000; ++bottom) {
    ASSERT_TRUE(r.reserve(1, bottom));
    r.put(bottom, bottom);
    EXPECT_LT(counted.slots, 2 * r.capacity());
  }
  EXPECT_FALSE(r.shrink(998, 1000, 1));
  EXPECT_EQ(seen.at(1), 1U);
  EXPECT_EQ(counted.arrays, 11U);  // of 1, 2, 4, ... 1024 slots
  expect_items(r, 1, 1000);
  thief.reset();
  EXPECT_TRUE(r.shrink(998, 1000, 1));
  EXPECT_EQ(r.capacity(), 2U);
  expect_items(r, 998, 1000);
  EXPECT_EQ(counted.arrays, 1U);
}

TEST_F(GrowableRing, AnArrayThatIsWantedAgainIsTakenBack) {
  ring& r = filled(8, 9);
  ring::visit thief(r);
  ASSERT_TRUE(thief.confirm());
  const ring::array seen = thief.current();
  ASSERT_TRUE(r.shrink(7, 9, 1));
  EXPECT_EQ(r.capacity(), 2U);
  counted.largest_granted = 0;
  EXPECT_FALSE(r.reserve(7, 9));  // there are no 4 free slots
  EXPECT_TRUE(r.reserve(7, 9, 5));
  EXPECT_EQ(r.capacity(), 8U);
  expect_items(r, 7, 9);
  EXPECT_EQ(seen.at(8), 8U);
  EXPECT_EQ(counted.made, 2U);
}

TEST_F(GrowableRing, WhatIsTakenBackIsRetiredAnew) {
  ring& r = filled(8, 9);
  std::optional<ring::visit> first(r);
  ASSERT_TRUE(first->confirm());
  ASSERT_TRUE(r.shrink(7, 9, 1));
  ASSERT_TRUE(r.reserve(7, 9, 5));   // back to 8, while `first` may read the same
  ASSERT_TRUE(r.reserve(7, 9, 10));  // and on to 16
  EXPECT_EQ(counted.slots, 16U + 8U + 2U);
  const ring::array seen = first->current();
  EXPECT_EQ(seen.at(8), 8U);
  first.reset();
  r.reclaim();
  EXPECT_FALSE(r.has_retired());
  EXPECT_EQ(counted.slots, 16U);
}

TEST_F(GrowableRing, TheEndFreesWhatIsRetired) {
  ring& r = filled(2, 3);
  {
    ring::visit thief(r);
    ASSERT_TRUE(thief.confirm());
    ASSERT_TRUE(r.reserve(1, 3));
  }
  EXPECT_EQ(counted.arrays, 2U);
  ring_.reset();
  EXPECT_EQ(counted.arrays, 0U);
  EXPECT_EQ(counted.slots, 0U);
}

}  // namespace
}  // namespace heist_test
