// The word where a waiter and an ender meet: the one that comes second finds what the first one
// left.
#include "heist/detail/rendezvous.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/fibers/waiting_party.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::detail::rendezvous;
using heist::detail::waiting_party;

constexpr rendezvous::word somebody = 64;

TEST(Rendezvous, TheEnderFindsWhoWaits) {
  rendezvous word;
  EXPECT_EQ(word.look(), rendezvous::pending);
  EXPECT_TRUE(word.wait(somebody));
  EXPECT_EQ(word.settle(rendezvous::threw), somebody);
  EXPECT_EQ(word.look(), rendezvous::threw);
}

TEST(Rendezvous, TheWaiterFindsThatItHasEnded) {
  rendezvous word;
  EXPECT_EQ(word.settle(rendezvous::done), rendezvous::pending);
  EXPECT_FALSE(word.wait(somebody));
  EXPECT_FALSE(word.attach(somebody));
  EXPECT_EQ(word.look(), rendezvous::done);
  word.reset();
  EXPECT_EQ(word.look(), rendezvous::pending);
}

TEST(Rendezvous, OnlyAnAttachedWaiterCanBeTakenBack) {
  rendezvous word;
  EXPECT_FALSE(word.detach(somebody));
  EXPECT_TRUE(word.attach(somebody));
  EXPECT_FALSE(word.detach(2 * somebody));
  EXPECT_TRUE(word.detach(somebody));
  EXPECT_EQ(word.settle(rendezvous::done), rendezvous::pending);
  EXPECT_FALSE(word.detach(somebody));
}

TEST(Rendezvous, TheSecondMarkFindsTheFirst) {
  rendezvous word;
  EXPECT_EQ(word.leave_mark(3), rendezvous::pending);
  EXPECT_EQ(word.leave_mark(5), 3U);
}

TEST(Rendezvous, AThreadIsToldFromAFiber) {
  EXPECT_FALSE(waiting_party(rendezvous::word{somebody}).is_thread());
  EXPECT_TRUE(waiting_party(rendezvous::word{somebody | 4}).is_thread());
  EXPECT_EQ(waiting_party(rendezvous::word{somebody | 4}).word(), somebody | 4);
}

// Exactly one of the two has to continue the waiter, and it sees what the other one wrote.
TEST(Rendezvous, OfTwoThreadsOneComesSecond) {
  for (int round = 0; round < scaled(20'000); ++round) {
    rendezvous word;
    int result = 0;
    int waiter_state = 0;
    int seen_by_ender = -1;
    std::thread ender([&] {
      result = 7;
      if (word.settle(rendezvous::done) == somebody) seen_by_ender = waiter_state;
    });
    waiter_state = 3;
    const bool waits = word.wait(somebody);
    if (!waits) {
      ASSERT_EQ(result, 7);
    }
    ender.join();
    ASSERT_EQ(seen_by_ender, waits ? 3 : -1);
  }
}

}  // namespace
}  // namespace heist_test
