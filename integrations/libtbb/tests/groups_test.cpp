// Groups of tasks: cancellation, exceptions, isolation.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "oneapi/tbb.h"

namespace {

TEST(Cancellation, EndsALoopEarly) {
  tbb::task_group_context context;
  std::atomic<int> ran{0};
  tbb::parallel_for(
      0, 1'000'000,
      [&](int) {
        if (++ran == 100) context.cancel_group_execution();
      },
      context);
  EXPECT_TRUE(context.is_group_execution_cancelled());
  EXPECT_LT(ran.load(), 1'000'000);
  context.reset();
  EXPECT_FALSE(context.is_group_execution_cancelled());
  ran = 0;
  tbb::parallel_for(
      0, 1000, [&](int) { ++ran; }, context);
  EXPECT_EQ(ran.load(), 1000);
}

TEST(Cancellation, OneCallerAloneHasCancelled) {
  tbb::task_group_context context(tbb::task_group_context::isolated);
  EXPECT_TRUE(context.cancel_group_execution());
  EXPECT_FALSE(context.cancel_group_execution());
}

TEST(Cancellation, ReachesGroupsInside) {
  for (int round = 0; round < 200; ++round) {
    tbb::task_group outer;
    std::atomic<bool> is_inside{false}, inner_was_cancelled{false};
    outer.run([&] {
      tbb::task_group inner;
      inner.run([&] {
        is_inside = true;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!tbb::is_current_task_group_canceling() && std::chrono::steady_clock::now() < end)
          std::this_thread::yield();
        inner_was_cancelled = tbb::is_current_task_group_canceling();
      });
      EXPECT_EQ(inner.wait(), tbb::canceled);
    });
    std::thread canceller([&] {
      while (!is_inside) std::this_thread::yield();
      outer.cancel();
    });
    EXPECT_EQ(outer.wait(), tbb::canceled);
    canceller.join();
    EXPECT_TRUE(inner_was_cancelled);
  }
}

TEST(Cancellation, DoesNotReachAnIsolatedContextInside) {
  tbb::task_group outer;
  std::atomic<int> ran{0};
  outer.run_and_wait([&] {
    tbb::task_group_context own(tbb::task_group_context::isolated);
    outer.cancel();
    tbb::parallel_for(
        0, 1000, [&](int) { ++ran; }, own);
  });
  EXPECT_EQ(ran.load(), 1000);
}

TEST(Exceptions, ArriveAtTheWait) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ran{0};
    try {
      tbb::parallel_for(0, 100'000, [&](int i) {
        ++ran;
        if (i == 50'000) throw std::runtime_error("at " + std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "at 50000");
    }
    EXPECT_LE(ran.load(), 100'000);
  }
}

TEST(Exceptions, GoThroughNestedAlgorithms) {
  EXPECT_THROW(tbb::parallel_for(0, 20,
                                 [&](int i) {
                                   tbb::parallel_for(0, 20, [&](int j) {
                                     if (i == 7 && j == 7) throw std::logic_error("inside");
                                   });
                                 }),
               std::logic_error);
  // One that is caught inside does not cancel what is around it.
  std::atomic<int> caught{0}, ran{0};
  tbb::parallel_for(0, 100, [&](int) {
    try {
      tbb::parallel_for(0, 10, [](int j) {
        if (j == 5) throw 5;
      });
    } catch (int) {
      ++caught;
    }
    ++ran;
  });
  EXPECT_EQ(caught.load(), 100);
  EXPECT_EQ(ran.load(), 100);
}

TEST(Exceptions, OfATaskGroup) {
  tbb::task_group group;
  group.run([] { throw std::out_of_range("first"); });
  EXPECT_THROW(group.wait(), std::out_of_range);
  std::atomic<int> ran{0};
  group.run([&] { ++ran; });
  EXPECT_EQ(group.wait(), tbb::complete);
  EXPECT_EQ(ran.load(), 1);
}

TEST(Exceptions, AfterACancellationAreLost) {
  tbb::task_group group;
  group.run([&] {
    group.cancel();
    throw std::runtime_error("late");
  });
  EXPECT_EQ(group.wait(), tbb::canceled);
  group.run([] { throw std::runtime_error("in time"); });
  EXPECT_THROW(group.wait(), std::runtime_error);
}

TEST(Exceptions, AGroupThatIsNotWaitedFor) {
  EXPECT_THROW(
      {
        tbb::task_group group;
        group.run([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
      },
      tbb::missing_wait);
}

TEST(ExceptionsDeathTest, TerminateIfTheProgramWishesSo) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        tbb::global_control wish(tbb::global_control::terminate_on_exception, 1);
        try {
          tbb::parallel_for(0, 10, [](int) { throw 1; });
        } catch (...) {
        }
      },
      "");
}

// While a thread waits in a region it runs nothing of another one.
TEST(Isolation, AWaitInsideRunsNothingFromOutside) {
  std::atomic<int> mixed{0};
  static thread_local bool is_inside = false;
  tbb::parallel_for(0, 300, [&](int) {
    if (is_inside) ++mixed;
    is_inside = true;
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(0, 100, [&](int) { std::atomic_signal_fence(std::memory_order_seq_cst); });
    });
    is_inside = false;
  });
  EXPECT_EQ(mixed.load(), 0);
}

TEST(Isolation, RegionsInsideOfRegions) {
  std::atomic<int> mixed{0}, ran{0};
  static thread_local int level = 0;
  tbb::parallel_for(0, 40, [&](int) {
    if (level != 0) ++mixed;
    level = 1;
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(0, 10, [&](int) {
        if (level > 1) ++mixed;
        const int before = level;
        level = 2;
        tbb::this_task_arena::isolate([&] { tbb::parallel_for(0, 10, [&](int) { ++ran; }); });
        level = before;
      });
    });
    level = 0;
  });
  EXPECT_EQ(mixed.load(), 0);
  EXPECT_EQ(ran.load(), 4000);
}

TEST(Isolation, TasksOfARegionThatIsLeftRunLater) {
  tbb::task_group group;
  std::atomic<int> ran{0};
  tbb::this_task_arena::isolate([&] {
    for (int i = 0; i < 1000; ++i) group.run([&] { ++ran; });
  });
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(0, 1000, [](int) {}); });
  group.wait();
  EXPECT_EQ(ran.load(), 1000);
  EXPECT_EQ(tbb::this_task_arena::isolate([] { return 42; }), 42);
  EXPECT_THROW(tbb::this_task_arena::isolate([] { throw 1; }), int);
}

}  // namespace
