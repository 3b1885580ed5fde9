// The Chase-Lev deque's own properties, beyond those in property_test.cpp, and its memory while
// thieves steal. growable_ring_test.cpp tests its ring with a thief that stalls.
#include "heist/deque/chase_lev.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <new>
#include <optional>
#include <random>
#include <thread>

#include "heist/error.hpp"
#include "tests/unit/deque/counting_seam.hpp"
#include "tests/unit/platform/sanitizers.hpp"

namespace heist_test {
namespace {

using heist::deque::push_result;
using heist::deque::steal_result;
using chase_lev = heist::deque::chase_lev<std::uintptr_t, counting_atomics>;

class ChaseLev : public testing::Test {
 protected:
  ChaseLev() { counted = {}; }
};

TEST_F(ChaseLev, TheNewestIsPoppedAndTheOldestIsStolen) {
  chase_lev d(2);
  auto owner = d.owner();
  auto thief = d.thief();
  for (std::uintptr_t i = 0; i < 5; ++i) EXPECT_EQ(owner.push(i), push_result::ok);
  EXPECT_EQ(owner.pop(), 4U);
  EXPECT_EQ(thief.steal().item, 0U);
  EXPECT_EQ(thief.steal().item, 1U);
  EXPECT_EQ(thief.size_hint(), 2U);
  EXPECT_EQ(owner.pop(), 3U);
  EXPECT_EQ(owner.pop(), 2U);
  EXPECT_EQ(owner.pop(), std::nullopt);
  EXPECT_EQ(thief.steal().result, steal_result::empty);
}

TEST_F(ChaseLev, AnEmptyPopLeavesItEmpty) {
  chase_lev d(1);
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

TEST_F(ChaseLev, CapacitiesThatItCannotHaveNameTheLimit) {
  const auto refusal_of = [](std::size_t capacity) -> std::string {
    try {
      const chase_lev made(capacity);
      return "none";
    } catch (const heist::usage_error& e) {
      return e.what();
    }
  };
  const std::string most = std::to_string(chase_lev::max_capacity);
  EXPECT_EQ(refusal_of(0), "chase_lev: a capacity of 0; it must be from 1 to " + most);
  EXPECT_EQ(refusal_of(48),
            "chase_lev: a capacity of 48; it must be a power of two, at most " + most);
  EXPECT_EQ(refusal_of(2 * chase_lev::max_capacity),
            "chase_lev: a capacity of " + std::to_string(2 * chase_lev::max_capacity) +
                "; it must be from 1 to " + most);
  EXPECT_EQ(counted.made, 0U);
}

TEST_F(ChaseLev, ItDoublesWhenItIsFull) {
  chase_lev d(2);
  auto owner = d.owner();
  std::size_t capacity = 2;
  for (std::uintptr_t i = 0; i < 100; ++i) {
    if (i == capacity) capacity *= 2;
    ASSERT_EQ(owner.push(i), push_result::ok);
    ASSERT_EQ(d.capacity(), capacity);
    ASSERT_EQ(counted.slots, capacity);
  }
  for (std::uintptr_t i = 100; i-- > 0;) ASSERT_EQ(owner.pop(), i);
}

TEST_F(ChaseLev, StolenItemsMakeRoomInsteadOfGrowth) {
  chase_lev d(4);
  auto owner = d.owner();
  auto thief = d.thief();
  for (std::uintptr_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(owner.push(i), push_result::ok);
    if (i < 3) continue;
    ASSERT_EQ(thief.steal().item, i - 3);
  }
  EXPECT_EQ(d.capacity(), 4U);
}

TEST_F(ChaseLev, RefusedMemoryAnswersFullAndLosesNothing) {
  chase_lev d(4);
  auto owner = d.owner();
  for (std::uintptr_t i = 0; i < 4; ++i) EXPECT_EQ(owner.push(i), push_result::ok);
  counted.largest_granted = 4;
  EXPECT_EQ(owner.push(4), push_result::full);
  EXPECT_EQ(owner.push(4), push_result::full);
  EXPECT_EQ(owner.size_hint(), 4U);
  EXPECT_EQ(d.thief().steal().item, 0U);
  EXPECT_EQ(owner.push(4), push_result::ok);
  EXPECT_EQ(owner.push(5), push_result::full);
  counted.largest_granted = 8;
  EXPECT_EQ(owner.push(5), push_result::ok);
  for (std::uintptr_t i = 5; i >= 1; --i) EXPECT_EQ(owner.pop(), i);
  EXPECT_EQ(owner.pop(), std::nullopt);
}

TEST_F(ChaseLev, TheFirstArrayIsNeeded) {
  counted.largest_granted = 32;
  EXPECT_THROW(chase_lev(64), std::bad_alloc);
}

TEST_F(ChaseLev, ItShrinksToItsItemsButNotBelowItsFirstCapacity) {
  chase_lev d(4);
  auto owner = d.owner();
  for (std::uintptr_t i = 0; i < 100; ++i) EXPECT_EQ(owner.push(i), push_result::ok);
  for (std::uintptr_t i = 0; i < 83; ++i) EXPECT_EQ(d.thief().steal().item, i);
  EXPECT_EQ(d.capacity(), 128U);
  EXPECT_TRUE(owner.shrink_to_fit());
  EXPECT_EQ(d.capacity(), 32U);
  EXPECT_EQ(counted.slots, 32U);
  for (std::uintptr_t i = 99; i >= 90; --i) EXPECT_EQ(owner.pop(), i);
  for (std::uintptr_t i = 83; i < 90; ++i) EXPECT_EQ(d.thief().steal().item, i);
  EXPECT_TRUE(owner.shrink_to_fit());
  EXPECT_EQ(d.capacity(), 4U);
  EXPECT_EQ(owner.pop(), std::nullopt);
}

TEST_F(ChaseLev, ShrinkingWithoutMemoryLeavesItAsItIs) {
  chase_lev d(2);
  auto owner = d.owner();
  for (std::uintptr_t i = 0; i < 8; ++i) EXPECT_EQ(owner.push(i), push_result::ok);
  while (owner.size_hint() > 2) EXPECT_TRUE(owner.pop());
  counted.largest_granted = 0;
  EXPECT_FALSE(owner.shrink_to_fit());
  EXPECT_EQ(d.capacity(), 8U);
  EXPECT_EQ(owner.pop(), 1U);
  EXPECT_EQ(owner.pop(), 0U);
}

TEST_F(ChaseLev, AgreesWithAnOracleWhileItGrowsAndShrinks) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    chase_lev d(std::size_t{1} << seed % 4);
    std::deque<std::uintptr_t> oracle;
    for (std::uintptr_t i = 0; i < 2000; ++i) {
      const bool filling = i / 100 % 2 == 0;
      const unsigned choice = random() % 8;
      if (choice == 0) {
        ASSERT_TRUE(d.owner().shrink_to_fit());
        ASSERT_GE(d.capacity(), oracle.size());
      } else if (choice < (filling ? 6 : 3)) {
        ASSERT_EQ(d.owner().push(i), push_result::ok);
        oracle.push_back(i);
      } else if (oracle.empty()) {
        ASSERT_EQ(d.owner().pop(), std::nullopt);
      } else if (choice % 2 == 0) {
        ASSERT_EQ(d.owner().pop(), oracle.back());
        oracle.pop_back();
      } else {
        ASSERT_EQ(d.thief().steal().item, oracle.front());
        oracle.pop_front();
      }
    }
  }
}

#if defined(HEIST_TEST_EMULATED)
constexpr std::uint64_t operations_wanted = 100'000;
#else
constexpr std::uint64_t operations_wanted = tsan || asan ? 2'000'000 : 20'000'000;
#endif

// Items are numbers from 1 on, so their sum shows whether each was taken once.
struct takings {
  std::uint64_t calls = 0;
  std::uint64_t items = 0;
  std::uint64_t sum = 0;

  void take(std::uint64_t item) {
    ++items;
    sum += item;
  }
};

class bursts {
 public:
  void run() {
    std::array<std::thread, 2> thieves;
    for (std::size_t t = 0; t < thieves.size(); ++t)
      thieves[t] = std::thread([this, t] { steal_all(stolen_[t]); });
    while (own_.calls < operations_wanted || shrinks_ < shrinks_wanted ||
           thieves_with_items_.load() < thieves.size())
      burst();
    ended_.store(true);
    for (std::thread& t : thieves) t.join();
    while (pop()) {
    }
  }

  void check() const {
    std::uint64_t items = own_.items;
    std::uint64_t sum = own_.sum;
    for (const takings& t : stolen_) {
      EXPECT_GT(t.items, 0U);
      items += t.items;
      sum += t.sum;
    }
    EXPECT_EQ(items, pushed_);
    EXPECT_EQ(sum, pushed_ * (pushed_ + 1) / 2);
    EXPECT_LT(counted.most_slots, 2 * largest_);
    EXPECT_EQ(counted.arrays, 1U);  // the pop that found nothing freed the others
  }

  [[nodiscard]] std::uint64_t shrinks() const { return shrinks_; }

 private:
  static constexpr std::size_t first_capacity = 4;
  static constexpr std::uint64_t most_items = 2000;  // in a burst
  static constexpr std::size_t largest_ = 2048;
  // A thief that the system stops in the middle of a steal delays shrinking until it runs again. On
  // a busy machine it runs a few times a second, so a number of operations alone does not ensure
  // any shrinking.
  static constexpr std::uint64_t shrinks_wanted = 10;

  void burst() {
    for (std::uint64_t n = random_() % most_items; n != 0; --n) {
      EXPECT_EQ(deque_.owner().push(++pushed_), push_result::ok);
      ++own_.calls;
    }
    for (std::uint64_t n = random_() % most_items; n != 0 && pop(); --n) {
    }
    // If the thieves are slow, the owner makes room itself, so that the next burst stays within the
    // bound.
    while (deque_.owner().size_hint() > 2) pop();
    const std::size_t before = deque_.capacity();
    deque_.owner().shrink_to_fit();
    shrinks_ += deque_.capacity() < before ? 1 : 0;
  }

  bool pop() {
    ++own_.calls;
    const std::optional<std::uint64_t> item = deque_.owner().pop();
    if (item) own_.take(*item);
    return item.has_value();
  }

  void steal_all(takings& mine) {
    auto thief = deque_.thief();
    while (!ended_.load()) {
      ++mine.calls;
      const auto answer = thief.steal();
      if (answer.result != steal_result::taken) continue;
      if (mine.items == 0) ++thieves_with_items_;
      mine.take(answer.item);
    }
  }

  chase_lev deque_{first_capacity};
  std::mt19937 random_{20130223};
  takings own_;
  std::array<takings, 2> stolen_;
  std::uint64_t pushed_ = 0;
  std::uint64_t shrinks_ = 0;
  std::atomic<std::size_t> thieves_with_items_ = 0;
  std::atomic<bool> ended_ = false;
};

TEST_F(ChaseLev, MemoryStaysBoundedWhileItGrowsAndShrinksUnderThieves) {
  bursts b;
  b.run();
  b.check();
  RecordProperty("shrinks", std::to_string(b.shrinks()));
  RecordProperty("most_slots", std::to_string(counted.most_slots));
}

}  // namespace
}  // namespace heist_test
