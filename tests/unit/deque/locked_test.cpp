// The locked deque is the oracle for the others, so it is compared with std::deque.
#include "heist/deque/locked.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <random>

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

}  // namespace
}  // namespace heist_test
