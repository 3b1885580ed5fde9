// The locked deque: the oracle of the others, so it is held to std::deque itself.
#include "heist/deque/locked.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace heist_test {
namespace {

using heist::deque::locked;

TEST(LockedDeque, TheNewestIsPoppedAndTheOldestIsStolen) {
  locked<int> d(2);
  for (int i = 0; i < 5; ++i) d.push(i);
  EXPECT_EQ(d.pop(), 4);
  EXPECT_EQ(d.steal(), 0);
  EXPECT_EQ(d.steal(), 1);
  EXPECT_EQ(d.pop(), 3);
  EXPECT_EQ(d.size(), 1U);
  EXPECT_EQ(d.steal(), 2);
  EXPECT_EQ(d.pop(), std::nullopt);
  EXPECT_EQ(d.steal(), std::nullopt);
}

TEST(LockedDeque, RoomForNothingStillGrows) {
  locked<int> d(0);
  d.push(1);
  d.push(2);
  EXPECT_EQ(d.steal(), 1);
  EXPECT_EQ(d.steal(), 2);
}

TEST(LockedDeque, AgreesWithAnOracleOverRandomOperations) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    locked<int> d(1 + seed % 4);
    std::deque<int> oracle;
    for (int i = 0; i < 2000; ++i) {
      switch (random() % 4) {
        case 0:
        case 1:
          d.push(i);
          oracle.push_back(i);
          break;
        case 2: {
          std::optional<int> wanted;
          if (!oracle.empty()) {
            wanted = oracle.back();
            oracle.pop_back();
          }
          ASSERT_EQ(d.pop(), wanted);
          break;
        }
        default: {
          std::optional<int> wanted;
          if (!oracle.empty()) {
            wanted = oracle.front();
            oracle.pop_front();
          }
          ASSERT_EQ(d.steal(), wanted);
        }
      }
      ASSERT_EQ(d.size(), oracle.size());
    }
  }
}

TEST(LockedDeque, WithThievesEveryItemIsTakenOnce) {
  constexpr int items = 20'000;
  locked<int> d(2);
  auto taken = std::make_unique<std::atomic<int>[]>(items);
  std::atomic<bool> finished{false};
  const auto count = [&](int item) {
    taken[static_cast<std::size_t>(item)].fetch_add(1, std::memory_order_relaxed);
  };
  std::vector<std::thread> thieves;
  for (int t = 0; t < 3; ++t)
    thieves.emplace_back([&] {
      // Acquire: after it was set nothing is pushed any more.
      while (!finished.load(std::memory_order_acquire) || d.size() != 0)
        if (const auto item = d.steal()) count(*item);
    });
  for (int i = 0; i < items; ++i) {
    d.push(i);
    if (i % 3 == 0)
      if (const auto item = d.pop()) count(*item);
  }
  finished.store(true, std::memory_order_release);
  for (auto& thread : thieves) thread.join();
  for (int i = 0; i < items; ++i)
    ASSERT_EQ(taken[static_cast<std::size_t>(i)].load(std::memory_order_relaxed), 1) << i;
}

}  // namespace
}  // namespace heist_test
