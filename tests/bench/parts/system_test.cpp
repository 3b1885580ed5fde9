#include <gtest/gtest.h>

#include <sys/wait.h>

#include <atomic>
#include <thread>

#include "bench/machine.hpp"
#include "bench/multiprogrammed/competitor.hpp"
#include "bench/presets/inlined.hpp"
#include "bench/presets/instructions.hpp"
#include "bench/processor_time.hpp"
#include "bench/rounds.hpp"
#include "bench/wake/futex_pair.hpp"
#include "bench/wake/others_sleep.hpp"

namespace heist::bench {
namespace {

using namespace std::chrono_literals;

TEST(Machine, IsDescribed) {
  const auto here = this_machine();
  EXPECT_FALSE(here.cpu.empty());
  EXPECT_FALSE(here.compiler.empty());
  EXPECT_NE(here.kernel.find("Linux"), std::string::npos);
  EXPECT_GE(here.processors, 1);
  EXPECT_GE(here.load, 0);
}

TEST(ProcessorTime, GrowsWithWork) {
  const auto before = processor_time::now();
  while (processor_time::now().seconds - before.seconds < 0.02) {
  }
  const auto worked = processor_time::now();
  std::this_thread::sleep_for(1ms);
  const auto slept = processor_time::now();
  EXPECT_GE(slept.seconds, worked.seconds);
  EXPECT_GT(slept.switches, before.switches);
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(InstructionsBetween, AreThoseOfOneThread) {
  std::atomic<int> counted{0};
  const auto found = instructions_between([&](const auto& count) {
    std::thread([&] {
      count([] { asm volatile(".rept 10\n\tnop\n\t.endr"); });
      count([] { asm volatile(".rept 110\n\tnop\n\t.endr"); });
    }).join();
    ++counted;
  });
  EXPECT_EQ(counted.load(), 0);  // it was another process
  if (!found) GTEST_SKIP() << "the system lets nobody trace a process";
  EXPECT_EQ(*found, 100U);
}
#endif

TEST(InstructionsBetween, NeedTwoParts) {
  EXPECT_FALSE(instructions_between([](const auto& count) { count([] {}); }));
  EXPECT_FALSE(instructions_between([](const auto&) { throw wrong_result("of the child"); }));
}

TEST(LockedList, GivesEachEntryOnce) {
  locked_list list;
  locked_list::link first{}, second{};
  list.push(first);
  list.push(second);
  EXPECT_TRUE(list.take(first));
  EXPECT_FALSE(list.take(first));
  EXPECT_TRUE(list.take(second));
}

TEST(Spinners, GetSomethingAndNoMoreThanThereIs) {
  const auto got = processors_for_spinners(4, 0.05);
  EXPECT_GT(got, 0);
  EXPECT_LT(got, this_machine().processors + 0.5);
}

TEST(Competitor, EndsWithItsObject) {
  {
    const competitor rivals(2);
    rivals.resume();
    rivals.pause();
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // no child is left, dead or alive
}

TEST(OthersSleep, TellsASpinningThreadFromASleepingOne) {
  std::atomic<bool> stop{false};
  std::thread spinner([&] {
    while (!stop) {
    }
  });
  EXPECT_FALSE(wait_until_others_sleep(5ms));
  stop = true;
  spinner.join();
  EXPECT_TRUE(wait_until_others_sleep(10s));
}

TEST(FutexPair, AnswersEveryCall) {
  futex_pair pair;
  for (int i = 0; i < 50; ++i) {
    EXPECT_GE(pair.wake(), 0);
    EXPECT_GT(pair.round_trip(), 0);
  }
}

}  // namespace
}  // namespace heist::bench
