// Workers that have left come again, whatever they missed meanwhile, and leave when they are wanted
// elsewhere.
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "oneapi/tbb.h"

namespace {

using namespace std::chrono_literals;

// What needs two threads can't be done with one.
bool has_one_thread() { return tbb::this_task_arena::max_concurrency() < 2; }

void work_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(Workers, ComeForTasksOneAfterTheOther) {
  if (has_one_thread()) GTEST_SKIP() << "one thread only";
  for (int round = 0; round < 3000; ++round) {
    tbb::task_group group;
    std::promise<void> has_run;
    group.run([&] { has_run.set_value(); });
    has_run.get_future().wait();
    group.wait();
  }
}

TEST(Workers, TakeWhatATaskHasSpawnedThatWaitsForIt) {
  if (has_one_thread()) GTEST_SKIP() << "one thread only";
  for (int round = 0; round < 300; ++round) {
    tbb::task_group outer;
    outer.run([] {
      std::atomic<bool> has_run{false};
      tbb::task_group inner;
      inner.run([&] { has_run = true; });
      while (!has_run) std::this_thread::yield();
      inner.wait();
    });
    outer.wait();
  }
}

TEST(Workers, OfAnArenaThatWasFullComeWhenASeatIsFree) {
  if (has_one_thread()) GTEST_SKIP() << "one thread only";
  tbb::task_arena arena(2);
  for (int round = 0; round < 300; ++round) {
    std::thread other([&] { arena.execute([] { work_for(50us); }); });
    arena.execute([&] {
      tbb::task_group group;
      group.run([] { work_for(20us); });
      group.wait();
    });
    other.join();
    std::promise<void> has_run;
    arena.execute([&] {
      tbb::task_group group;
      group.run([&] { has_run.set_value(); });
      has_run.get_future().wait();  // by a worker
      group.wait();
    });
  }
}

TEST(Workers, BeyondTheProcessorsComeEachTime) {
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena arena(8);
  for (int round = 0; round < 100; ++round)
    arena.execute([] {
      std::atomic<int> there{1};
      const auto wait_for_all = [&] {
        while (there < 8) std::this_thread::yield();
      };
      tbb::task_group group;
      for (int i = 1; i < 8; ++i)
        group.run([&] {
          ++there;
          wait_for_all();
        });
      wait_for_all();
      group.wait();
    });
}

TEST(Workers, GoWhereThePriorityIsHigher) {
  constexpr int low_tasks = 300;
  const int size = tbb::this_task_arena::max_concurrency();
  tbb::task_arena low(size, 0, tbb::task_arena::priority::low);
  tbb::task_arena high(size, 0, tbb::task_arena::priority::high);
  std::atomic<int> low_done{0};
  std::atomic<int> high_done{0};
  for (int i = 0; i < low_tasks; ++i)
    low.enqueue([&] {
      work_for(1ms);
      ++low_done;
    });
  while (low_done == 0) std::this_thread::sleep_for(100us);
  for (int i = 0; i < 10; ++i) high.enqueue([&] { ++high_done; });
  while (high_done < 10) std::this_thread::sleep_for(100us);
  EXPECT_LT(low_done, low_tasks / 2);
  while (low_done < low_tasks) std::this_thread::sleep_for(1ms);
}

TEST(Suspended, ByAThreadThatEnds) {
  if (has_one_thread()) GTEST_SKIP() << "one thread only";
  for (int round = 0; round < 300; ++round) {
    std::atomic<tbb::task::suspend_point> point{nullptr};
    std::thread outside([&] {
      while (point == nullptr) std::this_thread::yield();
      tbb::task::resume(point);
    });
    std::thread([&] {
      tbb::task_group group;
      group.run([&] { tbb::task::suspend([&](tbb::task::suspend_point p) { point = p; }); });
      group.wait();
    }).join();
    outside.join();
  }
}

long mapped_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmSize:")) return std::atol(line.c_str() + 7) / 1024;
  return 0;
}

TEST(Threads, TakeTheirArenasWithThem) {
  const auto use = [] {
    std::thread([] {
      tbb::task_group group;
      for (int i = 0; i < 10; ++i) group.run([] {});
      group.wait();
    }).join();
  };
  for (int i = 0; i < 50; ++i) use();
  const long before = mapped_megabytes();
  for (int i = 0; i < 500; ++i) use();
  EXPECT_LT(mapped_megabytes() - before, 2000);  // an arena has 16 at least
}

TEST(Context, IsThatOfATaskOnly) {
  EXPECT_EQ(tbb::task::current_context(), nullptr);
  tbb::task_arena arena(2);
  tbb::task_group group;
  group.run_and_wait([&] {
    EXPECT_NE(tbb::task::current_context(), nullptr);
    arena.execute([] { EXPECT_EQ(tbb::task::current_context(), nullptr); });
    EXPECT_NE(tbb::task::current_context(), nullptr);
  });
  arena.execute([] { EXPECT_EQ(tbb::task::current_context(), nullptr); });
  EXPECT_EQ(tbb::task::current_context(), nullptr);
}

TEST(FloatingPoint, OfAnArenaIsThatOfItsMaker) {
  tbb::task_arena arena(2);
  std::fesetround(FE_UPWARD);
  arena.initialize();
  std::fesetround(FE_DOWNWARD);
  arena.execute([] { EXPECT_EQ(std::fegetround(), FE_UPWARD); });
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  std::fesetround(FE_TONEAREST);
}

TEST(Scheduler, CannotBeFinalizedWhileItIsUsed) {
  {
    tbb::task_scheduler_handle one{tbb::attach{}};
    tbb::task_scheduler_handle other{tbb::attach{}};
    EXPECT_FALSE(tbb::finalize(one, std::nothrow));  // there is the other one
    EXPECT_TRUE(tbb::finalize(other, std::nothrow));
  }
  tbb::task_scheduler_handle handle{tbb::attach{}};
  tbb::task_group group;
  group.run_and_wait([&] { EXPECT_FALSE(tbb::finalize(handle, std::nothrow)); });
}

}  // namespace
