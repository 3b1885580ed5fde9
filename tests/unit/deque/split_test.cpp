// The split deque alone, on one thread: which items are private, requested, exposed and taken back.
#include "heist/deque/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>

#include "heist/error.hpp"
#include "platform/barrier.hpp"

namespace heist_test {
namespace {

using heist::deque::push_result;
using heist::deque::steal_result;
using split = heist::deque::split<std::uintptr_t>;

const auto no_barrier = []() noexcept {};

class SplitDeque : public testing::Test {
 protected:
  void push(std::uintptr_t first, std::uintptr_t last) {
    for (std::uintptr_t i = first; i <= last; ++i) ASSERT_EQ(owner_.push(i), push_result::ok);
  }
  void expect_stolen(std::uintptr_t item) {
    const auto answer = thief_.steal();
    EXPECT_EQ(answer.result, steal_result::taken);
    EXPECT_EQ(answer.item, item);
  }

  split deque_{4};
  split::owner_end owner_ = deque_.owner();
  split::thief_end thief_ = deque_.thief();
};

TEST_F(SplitDeque, ItemsStayPrivateUntilAThiefAsks) {
  push(1, 3);
  EXPECT_EQ(thief_.steal().result, steal_result::empty);  // and it has asked
  EXPECT_EQ(thief_.size_hint(), 3U);
  push(4, 4);
  expect_stolen(1);
  expect_stolen(2);
  EXPECT_EQ(thief_.steal().result, steal_result::empty);
  EXPECT_EQ(owner_.pop(), 4U);
  EXPECT_EQ(owner_.pop(), 3U);
  EXPECT_EQ(owner_.pop(), std::nullopt);
}

TEST_F(SplitDeque, ARequestIsAnsweredOnce) {
  EXPECT_EQ(thief_.steal().result, steal_result::empty);
  push(1, 4);  // the first one is exposed, the others are not
  expect_stolen(1);
  EXPECT_EQ(thief_.steal().result, steal_result::empty);
  EXPECT_EQ(thief_.size_hint(), 3U);
}

TEST_F(SplitDeque, TheOwnerTakesBackWhatNobodyStole) {
  push(1, 4);
  owner_.expose_all();
  expect_stolen(1);
  for (std::uintptr_t i = 4; i >= 2; --i) EXPECT_EQ(owner_.pop(), i);
  EXPECT_EQ(owner_.pop(), std::nullopt);
  EXPECT_EQ(thief_.steal().result, steal_result::empty);
}

TEST_F(SplitDeque, AFullArrayRefusesAndKeepsWhatItHas) {
  push(1, 4);
  EXPECT_EQ(owner_.push(5), push_result::full);
  EXPECT_EQ(owner_.size_hint(), 4U);
  owner_.expose_all();
  EXPECT_EQ(owner_.push(6), push_result::full);
  for (std::uintptr_t i = 1; i <= 4; ++i) expect_stolen(i);
  EXPECT_EQ(thief_.steal().result, steal_result::empty);
}

TEST_F(SplitDeque, APushThatIsRefusedAnswersARequestAllTheSame) {
  push(1, 4);
  EXPECT_EQ(thief_.steal().result, steal_result::empty);
  EXPECT_EQ(owner_.push(5), push_result::full);
  expect_stolen(1);
  expect_stolen(2);
  EXPECT_EQ(thief_.steal().result, steal_result::empty);
}

TEST_F(SplitDeque, PlacesOfStolenItemsComeBackWhenAPopFindsNothing) {
  for (std::uintptr_t round = 0; round < 20; ++round) {
    push(1, 4);
    owner_.expose_all();
    for (std::uintptr_t i = 1; i <= 4; ++i) expect_stolen(i);
    EXPECT_EQ(owner_.size_hint(), 0U);
    EXPECT_EQ(owner_.push(5), push_result::full);
    EXPECT_EQ(owner_.pop(), std::nullopt);
    EXPECT_EQ(owner_.pop(), std::nullopt);
  }
}

TEST_F(SplitDeque, AThiefExposesWithoutTheOwner) {
  push(1, 3);
  EXPECT_EQ(thief_.expose(no_barrier), 3U);
  EXPECT_EQ(thief_.expose(no_barrier), 0U);
  for (std::uintptr_t i = 1; i <= 3; ++i) expect_stolen(i);
  EXPECT_EQ(owner_.pop(), std::nullopt);
  EXPECT_EQ(thief_.expose(no_barrier), 0U);
}

TEST_F(SplitDeque, WhatTheOwnerPopsDuringAnExposureIsNotExposed) {
  push(1, 3);
  EXPECT_EQ(thief_.expose([&]() noexcept { EXPECT_EQ(owner_.pop(), 3U); }), 2U);
  expect_stolen(1);
  expect_stolen(2);
  EXPECT_EQ(thief_.steal().result, steal_result::empty);
}

TEST_F(SplitDeque, TheHeavyBarrierReachesAnotherThread) {
  push(1, 2);
  const auto target = heist::deque::heavy_barrier_target::this_thread();
  std::thread([&] {
    EXPECT_EQ(thief_.expose([&]() noexcept { heist::deque::heavy_barrier(target); }), 2U);
    expect_stolen(1);
  }).join();
  EXPECT_EQ(owner_.pop(), 2U);
  EXPECT_EQ(owner_.pop(), std::nullopt);
}

TEST_F(SplitDeque, TheHeavyBarrierWorksBySignalsToo) {
  namespace platform = heist::platform;
  try {
    platform::set_barrier_kind_for_test(platform::barrier_kind::signal);
  } catch (const heist::resource_error& e) {
    GTEST_SKIP() << e.what();
  }
  push(1, 2);
  const auto target = heist::deque::heavy_barrier_target::this_thread();
  std::thread([&] {
    EXPECT_EQ(thief_.expose([&]() noexcept { heist::deque::heavy_barrier(target); }), 2U);
  }).join();
  platform::set_barrier_kind_for_test(std::nullopt);
  expect_stolen(1);
}

TEST(SplitDequeCapacity, WhatItCantHaveIsNamedWithTheLimit) {
  const auto message = [](std::size_t capacity) {
    try {
      const split d(capacity);
    } catch (const heist::usage_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(0), "split: a capacity of 0; it must be from 1 to 1048575");
  EXPECT_EQ(message(1048576), "split: a capacity of 1048576; it must be from 1 to 1048575");
  EXPECT_EQ(split(5).capacity(), 5U);
}

TEST(SplitDequeCapacity, TheLargestArrayFillsToItsEnd) {
  split d(split::max_capacity);
  auto owner = d.owner();
  for (std::uintptr_t i = 0; i < split::max_capacity; ++i)
    ASSERT_EQ(owner.push(i), push_result::ok);
  EXPECT_EQ(owner.push(0), push_result::full);
  owner.expose_all();
  for (std::uintptr_t i = 0; i < split::max_capacity / 2; ++i) ASSERT_EQ(d.thief().steal().item, i);
  for (std::uintptr_t i = split::max_capacity; i > split::max_capacity / 2; --i)
    ASSERT_EQ(owner.pop(), i - 1);
  EXPECT_EQ(owner.pop(), std::nullopt);
}

}  // namespace
}  // namespace heist_test
