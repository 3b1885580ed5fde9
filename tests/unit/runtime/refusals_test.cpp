// The system refuses threads, stacks and address space: the pool reports it, or works with less.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "heist/heist.hpp"
#include "platform/stack_memory.hpp"
#include "platform/thread.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"

namespace heist_test {
namespace {

using heist::platform::set_stack_faults_for_test;
using heist::platform::set_thread_faults_for_test;

class Refusals : public testing::Test {
 protected:
  ~Refusals() override {
    set_thread_faults_for_test(-1);
    set_stack_faults_for_test(-1);
  }
};

TEST_F(Refusals, SomeThreadsMissingIsASmallerPool) {
  set_thread_faults_for_test(2);
  heist::pool pool({.workers = 5});
  set_thread_faults_for_test(-1);
  EXPECT_EQ(pool.workers(), 2U);
  EXPECT_EQ(pool.missing_workers(), 3U);
  EXPECT_EQ(pool.run([] { return fib(15); }), 610);
}

TEST_F(Refusals, NoThreadAtAllIsAResourceError) {
  set_thread_faults_for_test(0);
  EXPECT_THROW(heist::pool({.workers = 3}), heist::resource_error);
  set_thread_faults_for_test(-1);
  heist::pool pool({.workers = 1});
  EXPECT_EQ(pool.run([] { return fib(10); }), 55);
}

TEST_F(Refusals, SomeStacksMissingIsASmallerPool) {
  set_stack_faults_for_test(7);  // each worker has two from the start
  heist::pool pool({.workers = 5});
  EXPECT_EQ(pool.workers(), 3U);
  EXPECT_EQ(pool.missing_workers(), 2U);
  EXPECT_EQ(pool.run([] { return fib(15); }), 610);
}

TEST_F(Refusals, NoStackAtAllIsAResourceErrorThatNamesTheSize) {
  set_stack_faults_for_test(0);
  try {
    heist::pool pool({.workers = 3, .stack_size = 1 << 20});
    FAIL() << "accepted";
  } catch (const heist::resource_error& e) {
    EXPECT_NE(std::string(e.what()).find("1024 KiB"), std::string::npos) << e.what();
  }
}

class StacksRefused : public Refusals, public testing::WithParamInterface<heist::join_kind> {};

TEST_P(StacksRefused, AJoinWithoutAStackWaits) {
  const watchdog guard("a join without a stack");
  heist::pool pool({.workers = 2, .join = GetParam()});
  set_stack_faults_for_test(0);
  for (int round = 0; round < 20; ++round) {
    const auto [a, b] = pool.run([] {
      signal_flag begun;
      signal_flag waiting;
      return heist::fork_join(
          [&] {
            EXPECT_TRUE(begun.wait());
            waiting.raise();
            return 1;
          },
          [&] {
            begun.raise();
            EXPECT_TRUE(waiting.wait());
            linger(std::chrono::microseconds(200));
            return 2;
          });
    });
    EXPECT_EQ(a + b, 3);
  }
  EXPECT_GT(pool.stats().total.suspends, 0U);
}

TEST_P(StacksRefused, ALongRecursionComesToItsEnd) {
  const watchdog guard("a recursion without stacks");
  for (const unsigned workers : {2U, 3U, 8U}) {
    heist::pool pool({.workers = workers, .join = GetParam()});
    for (long after = 0; after < 3; ++after) {
      set_stack_faults_for_test(after);
      EXPECT_EQ(pool.run([] { return fib(emulated ? 14 : 20); }), emulated ? 377 : 6765);
    }
    set_stack_faults_for_test(-1);
  }
}

long fib_by_spawns(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  heist::scope([&](heist::task_scope& s) {
    s.spawn([&a, n] { a = fib_by_spawns(n - 1); });
    b = fib_by_spawns(n - 2);
  });
  return a + b;
}

TEST_P(StacksRefused, SpawnsAreCallsWhereThereIsNone) {
  const watchdog guard("spawns without stacks");
  for (const unsigned workers : {1U, 2U, 8U}) {
    heist::pool pool({.workers = workers, .join = GetParam()});
    for (long after = 0; after < 6; ++after) {
      set_stack_faults_for_test(after);
      EXPECT_EQ(pool.run([] { return fib_by_spawns(emulated ? 12 : 18); }), emulated ? 144 : 2584);
    }
    set_stack_faults_for_test(-1);
  }
}

// What has no stack begins later, and stands where it was spawned: for reducers, and for the
// exception that a serial run would have met first.
TEST(LateChildren, KeepTheirPlaces) {
  const watchdog guard("late children");
  std::string expected;
  for (char c = 'a'; c <= 'z'; ++c) expected += std::string("-") + c;
  for (const unsigned workers : {1U, 2U, 8U}) {
    heist::pool pool({.workers = workers});
    for (long after = 0; after < 6; ++after) {
      set_stack_faults_for_test(after);
      const std::string text = pool.run([] {
        heist::reducer<std::string> sum;
        heist::scope([&](heist::task_scope& s) {
          for (char c = 'a'; c <= 'z'; ++c) {
            *sum += '-';
            s.spawn([&sum, c] { *sum += c; });
          }
        });
        return sum.take();
      });
      EXPECT_EQ(text, expected);
      int thrown = 0;
      pool.run([&thrown] {
        try {
          heist::scope([](heist::task_scope& s) {
            for (int i = 1; i < 30; ++i)
              s.spawn([i] {
                if (i >= 7) throw i;
              });
          });
        } catch (int first) {
          thrown = first;
        }
      });
      EXPECT_EQ(thrown, 7);
    }
    set_stack_faults_for_test(-1);
  }
}

// Forks that are open meanwhile go to the injection queue, where no worker has a stack to begin
// them, so the joins run them.
TEST_P(StacksRefused, ARunInAnotherPoolLeavesNoForkBehind) {
  const watchdog guard("nested runs without a stack");
  heist::pool outer({.workers = 1, .join = GetParam()});
  heist::pool inner({.workers = 1, .join = GetParam()});
  set_stack_faults_for_test(0);
  const std::function<int(int)> nested = [&](int depth) -> int {
    if (depth == 0) return inner.run([] { return 1; });
    const auto [a, b] = heist::fork_join(
        [&] { return inner.run([] { return 1; }) + nested(depth - 1); }, [] { return 2; });
    return a + b;
  };
  for (int round = 0; round < 5; ++round)
    EXPECT_EQ(outer.run([&] { return nested(20); }), 20 * 3 + 1);
}

TEST_P(StacksRefused, OneWorkerWaitsForWhatItSubmits) {
  const watchdog guard("submit().get() without a stack");
  heist::pool pool({.workers = 1, .join = GetParam()});
  set_stack_faults_for_test(0);
  for (int round = 0; round < 100; ++round)
    EXPECT_EQ(pool.run([&] { return pool.submit([round] { return round; }).get(); }), round);
}

// Fibers that suspend while they hold the mutex are ready soon, and all others wait for the mutex.
TEST_P(StacksRefused, HoldersOfAMutexGoOn) {
  for (const unsigned workers : {1U, 2U, 8U}) {
    for (const heist::deque_kind deque :
         {heist::deque_kind::split, heist::deque_kind::steal_half}) {
      for (long after = 0; after < 4; ++after) {
        const watchdog guard("a mutex without stacks");
        heist::pool pool({.workers = workers, .deque = deque, .join = GetParam()});
        heist::pool other({.workers = 1});
        set_stack_faults_for_test(after);
        heist::mutex mutex;
        int counted = 0;
        const int n = scaled(200);
        pool.run([&] {
          heist::parallel_for(0, n, [&](int) {
            const std::lock_guard hold(mutex);
            ++counted;
            other.run([] {});
          });
        });
        set_stack_faults_for_test(-1);
        EXPECT_EQ(counted, n);
      }
    }
  }
}

// More children than there are stacks wait for something that a thread outside does.
TEST_P(StacksRefused, ManyChildrenThatWaitAllEnd) {
  for (const unsigned workers : {1U, 2U, 8U}) {
    const watchdog guard("children that wait without stacks");
    heist::pool pool({.workers = workers, .join = GetParam()});
    heist::latch opened(1);
    set_stack_faults_for_test(20);
    std::atomic<int> waiting{0};
    std::thread opener([&] {
      EXPECT_TRUE(eventually([&] { return waiting.load() >= static_cast<int>(workers); }));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      opened.count_down();
    });
    std::atomic<int> ended{0};
    pool.run([&] {
      heist::scope([&](heist::task_scope& s) {
        for (int i = 0; i < 2000; ++i)
          s.spawn([&] {
            ++waiting;
            opened.wait();
            ++ended;
          });
      });
    });
    opener.join();
    set_stack_faults_for_test(-1);
    EXPECT_EQ(ended.load(), 2000);
  }
}

// A function that needs one more stack than there is reports this, and continues as soon as there
// is one.
TEST_P(StacksRefused, WaitingForAStackIsReportedAndEndsWithOne) {
  const watchdog guard("a report of missing stacks");
  heist::pool pool({.workers = 1, .join = GetParam(), .name = "small"});
  set_stack_faults_for_test(0);
  testing::internal::CaptureStderr();
  std::thread helper([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
    set_stack_faults_for_test(-1);
  });
  // Each level waits for a latch, which can't call what it waits for as a future's waiter would.
  const std::function<int(int)> nested = [&](int depth) -> int {
    if (depth == 0) return 0;
    heist::latch inner(1);
    heist::future<int> below = pool.submit([&, depth] {
      const int levels = nested(depth - 1);
      inner.count_down();
      return levels;
    });
    inner.wait();
    return 1 + below.get();
  };
  EXPECT_EQ(pool.run([&] { return nested(3); }), 3);
  helper.join();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_GT(pool.stats().total.blocked_joins, 0U);
  EXPECT_NE(said.find("pool \"small\" has 2 stacks and gets no more"), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(Joins, StacksRefused,
                         testing::Values(heist::join_kind::greedy, heist::join_kind::stalling),
                         [](const auto& p) {
                           return p.param == heist::join_kind::greedy ? "Greedy" : "Stalling";
                         });

// The size of this process's mappings in bytes.
rlim_t mapped_bytes() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  return pages * heist::platform::page_bytes();
}

// There is address space for some of the requested workers, but not for all.
TEST_F(Refusals, ALimitOfAddressSpaceIsASmallerPoolOrAnError) {
  if (asan || tsan || emulated)
    GTEST_SKIP() << "more address space is reserved than any limit leaves";
  const auto with_limit = [](rlim_t megabytes) {
    return in_forked_child([=] {
      const rlim_t bytes = mapped_bytes() + (megabytes << 20);
      const rlimit limit{bytes, bytes};
      if (::setrlimit(RLIMIT_AS, &limit) != 0) return 3;
      try {
        heist::pool pool({.workers = 64, .stack_size = 64 << 20});
        return pool.run([] { return fib(15); }) == 610 && pool.missing_workers() > 0 ? 0 : 4;
      } catch (const heist::resource_error&) {
        return code_resource;
      }
    });
  };
  EXPECT_EQ(with_limit(1024), 0);
  EXPECT_EQ(with_limit(16), code_resource);
}

}  // namespace
}  // namespace heist_test
