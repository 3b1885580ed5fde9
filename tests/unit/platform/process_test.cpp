// The state that a process keeps across fork(): once_flag, process_mutex, process_generation().
#include "platform/process.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "platform/once.hpp"
#include "platform/process_mutex.hpp"
#include "tests/unit/runtime/child.hpp"

namespace heist_test {
namespace {

namespace platform = heist::platform;

TEST(Process, AChildHasTheNextGeneration) {
  const unsigned ours = platform::process_generation();
  EXPECT_EQ(
      in_forked_child([&] {
        if (platform::process_generation() != ours + 1) return 1;
        return in_forked_child([&] { return platform::process_generation() == ours + 2 ? 0 : 2; });
      }),
      0);
  EXPECT_EQ(platform::process_generation(), ours);
}

TEST(OnceFlag, CallsOnceHoweverManyThreadsCome) {
  for (int round = 0; round < 200; ++round) {
    platform::once_flag once;
    std::atomic<int> calls{0};
    int made = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        once.call([&] {
          ++calls;
          made = 7;
        });
        EXPECT_EQ(made, 7);
      });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(calls.load(), 1);
  }
}

TEST(OnceFlag, AnExceptionLeavesItToTheNextCaller) {
  platform::once_flag once;
  EXPECT_THROW(once.call([] { throw std::runtime_error("no"); }), std::runtime_error);
  int calls = 0;
  once.call([&] { ++calls; });
  once.call([&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(OnceFlag, AChildForkedInTheMiddleBeginsAnew) {
  platform::once_flag once;
  int child = -1;
  once.call([&] {
    child = in_forked_child([&] {
      ::alarm(5);
      int calls = 0;
      once.call([&] { ++calls; });
      once.call([&] { ++calls; });
      return calls == 1 ? 0 : 1;
    });
  });
  EXPECT_EQ(child, 0);
}

TEST(OnceFlag, WhatWasDoneStaysDoneInAChild) {
  platform::once_flag once;
  once.call([] {});
  EXPECT_EQ(in_forked_child([&] {
              int calls = 0;
              once.call([&] { ++calls; });
              return calls;
            }),
            0);
}

TEST(ProcessMutex, ExcludesOthers) {
  platform::process_mutex mutex;
  long counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 20'000; ++k) {
        const std::lock_guard hold(mutex);
        ++counter;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(counter, 80'000);
}

// In the child no existing thread holds the mutex, even if a thread was waiting for it.
TEST(ProcessMutex, AChildFindsItFree) {
  platform::process_mutex mutex;
  std::thread waiter;
  int child = -1;
  {
    const std::lock_guard hold(mutex);
    waiter = std::thread([&] { const std::lock_guard later(mutex); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    child = in_forked_child([&] {
      ::alarm(5);
      for (int i = 0; i < 3; ++i) const std::lock_guard mine(mutex);
      return 0;
    });
  }
  waiter.join();
  EXPECT_EQ(child, 0);
}

}  // namespace
}  // namespace heist_test
