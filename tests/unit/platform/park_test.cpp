// Parking: no wake is lost, time-outs work, and counts are right.
#include "platform/park.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

namespace heist_test {
namespace {

using heist::platform::futex_wait;
using heist::platform::futex_wait_for;
using heist::platform::futex_wake;
using heist::platform::park_word;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(Park, DoesNotSleepOnAnotherValue) {
  park_word word{1};
  futex_wait(word, 0);
  EXPECT_TRUE(futex_wait_for(word, 0, milliseconds(10'000)));
}

TEST(Park, TimeOutIsReportedAndTakesItsTime) {
  park_word word{0};
  const auto start = steady_clock::now();
  EXPECT_FALSE(futex_wait_for(word, 0, milliseconds(20)));
  EXPECT_GE(steady_clock::now() - start, milliseconds(20));
  EXPECT_FALSE(futex_wait_for(word, 0, milliseconds(0)));
  EXPECT_FALSE(futex_wait_for(word, 0, milliseconds(-5)));
}

TEST(Park, ErrnoIsLeftAlone) {
  park_word word{0};
  errno = 42;
  EXPECT_FALSE(futex_wait_for(word, 0, milliseconds(1)));
  futex_wait(word, 1);
  futex_wake(word, 1);
  EXPECT_EQ(errno, 42);
}

TEST(Park, WakingNobodyWakesNobody) {
  park_word word{0};
  EXPECT_EQ(futex_wake(word, 1), 0);
}

TEST(Park, WakesNoMoreThanAskedFor) {
  constexpr int threads = 3;
  park_word word{0};
  std::vector<std::thread> parked;
  for (int i = 0; i < threads; ++i) {
    // Acquire: the partner is the release below.
    parked.emplace_back([&word] {
      while (word.load(std::memory_order_acquire) == 0) futex_wait(word, 0);
    });
  }
  // Woken threads find the value unchanged and sleep again, so every wake can be counted.
  int woken = 0;
  while (woken < 10) {
    const int now = futex_wake(word, 1);
    EXPECT_LE(now, 1);
    woken += now;
  }
  word.store(1, std::memory_order_release);
  EXPECT_LE(futex_wake(word, threads), threads);
  for (std::thread& thread : parked) thread.join();
}

// Two threads pass a token back and forth; a lost wake would leave both asleep, and the test would
// time out.
TEST(Park, NoWakeIsLostInManyHandovers) {
  constexpr std::uint32_t rounds = 20'000;
  park_word turn{0};
  const auto play = [&turn](std::uint32_t mine) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      std::uint32_t now = 0;
      // Acquire: the partner is the other thread's release.
      while (((now = turn.load(std::memory_order_acquire)) & 1) != mine) futex_wait(turn, now);
      turn.store(now + 1, std::memory_order_release);
      futex_wake(turn, 1);
    }
  };
  std::thread other([&play] { play(1); });
  play(0);
  other.join();
  EXPECT_EQ(turn.load(std::memory_order_acquire), 2 * rounds);
}

TEST(Park, AWakeChoosesAmongTheWaiters) {
  park_word word{0};
  park_word left_by{0};
  std::thread first([&] {
    while (word == 0) futex_wait(word, 0, 1);
    left_by = 1;
  });
  std::thread second([&] {
    while (word == 0) EXPECT_TRUE(futex_wait_for(word, 0, std::chrono::minutes(10), 2));
    left_by = 2;
  });
  EXPECT_EQ(futex_wake(word, 8, 4), 0);
  // It is woken only after it has begun to wait.
  while (futex_wake(word, 1, 2) == 0) std::this_thread::yield();
  while (futex_wake(word, 8, 1) == 0) std::this_thread::yield();
  word = 1;
  while (left_by == 0) futex_wake(word, 8);
  first.join();
  second.join();
}

}  // namespace
}  // namespace heist_test
