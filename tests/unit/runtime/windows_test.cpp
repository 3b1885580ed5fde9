// The runtime on Windows, through the public headers: steals, wake-ups, an idle pool, a full stack,
// and what is refused.
#include <gtest/gtest.h>
#include <windows.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

TEST(Windows, ForksAreStolenAndRunOnce) {
  heist::pool pool({.workers = 4});
  for (int round = 0; round < 50; ++round) ASSERT_EQ(pool.run([] { return fib(20); }), 6765);
  std::atomic<int> met{0};
  // Both sides wait for each other, so one of them has been stolen.
  pool.run([&] {
    const auto meet = [&] {
      met.fetch_add(1);
      EXPECT_TRUE(eventually([&] { return met.load() == 2; }));
    };
    heist::fork_join(meet, meet);
  });
  EXPECT_GE(pool.stats().total.steals, 1U);
}

TEST(Windows, AThousandWakeUps) {
  heist::pool pool({.workers = 4});
  for (int round = 0; round < 1000; ++round) {
    ASSERT_EQ(pool.submit([round] { return round; }).get(), round);
    if (round % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
}

std::int64_t processor_time_ns() {
  FILETIME began{};
  FILETIME ended{};
  FILETIME kernel{};
  FILETIME user{};
  ::GetProcessTimes(::GetCurrentProcess(), &began, &ended, &kernel, &user);
  const auto ns = [](const FILETIME& t) {
    return (std::int64_t{t.dwHighDateTime} << 32 | t.dwLowDateTime) * 100;
  };
  return ns(kernel) + ns(user);
}

TEST(Windows, AnIdlePoolUsesNoProcessor) {
  heist::pool pool({.workers = 4});
  pool.run([] { return fib(15); });
  std::this_thread::sleep_for(std::chrono::seconds(1));  // it goes to sleep
  const std::int64_t before = processor_time_ns();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_LT(processor_time_ns() - before, 40'000'000);
}

[[gnu::noinline]] long endless(int depth) {
  volatile char frame[512];
  frame[0] = 1;
  const auto [a, b] =
      heist::fork_join([=] { return depth < 0 ? 0L : endless(depth + 1); }, [] { return 1L; });
  return a + b + frame[0];
}

TEST(WindowsDeathTest, AFullStackNamesItsSizeAndTheRemedy) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        heist::pool pool({.workers = 1, .stack_size = 64 << 10});
        pool.run([] { return endless(0); });
      },
      "stack overflow.*64 KiB.*worker 0.*pool_config::stack_size or HEIST_STACK_SIZE");
}

// The message of what a pool throws when that variable is set; empty if it throws nothing.
std::string refusal_with(const char* assignment) {
  const std::string text(assignment);
  ::_putenv(assignment);
  std::string message;
  try {
    heist::pool pool({.workers = 1});
  } catch (const heist::usage_error& e) {
    message = e.what();
  }
  ::_putenv((text.substr(0, text.find('=') + 1)).c_str());
  return message;
}

TEST(Windows, RefusesWhatTheSystemDoesNotHave) {
  EXPECT_EQ(refusal_with("HEIST_MONITOR=1"),
            "HEIST_MONITOR=1: heist top isn't there on this system");
  EXPECT_EQ(refusal_with("HEIST_STATS_SIGNAL=USR1"),
            "HEIST_STATS_SIGNAL=USR1: not on this system; HEIST_STATS=1 prints at the end");
  EXPECT_EQ(refusal_with("HEIST_MONITOR=0"), "");
}

}  // namespace
}  // namespace heist_test
