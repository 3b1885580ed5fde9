// The system refuses threads, stacks and address space: the pool says so, or makes do.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

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
  set_stack_faults_for_test(3);
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

TEST_P(StacksRefused, AJoinWithoutAStackWaitsWhereItIs) {
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
  EXPECT_GT(pool.stats().total.blocked_joins, 0U);
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

// A nested run suspends its fiber; without a stack it waits on its thread, and leaves its open forks
// where they are, since nobody else may be there to run them.
TEST_P(StacksRefused, ARunInAnotherPoolWaitsWhereItIs) {
  const watchdog guard("a nested run without a stack");
  heist::pool outer({.workers = 1, .join = GetParam()});
  heist::pool inner({.workers = 1, .join = GetParam()});
  set_stack_faults_for_test(0);
  const auto [a, b] = outer.run([&] {
    return heist::fork_join([&] { return inner.run([] { return 1; }); }, [] { return 2; });
  });
  EXPECT_EQ(a + b, 3);
}

INSTANTIATE_TEST_SUITE_P(Joins, StacksRefused,
                         testing::Values(heist::join_kind::greedy, heist::join_kind::stalling),
                         [](const auto& p) {
                           return p.param == heist::join_kind::greedy ? "Greedy" : "Stalling";
                         });

// What this process has mapped, in bytes.
rlim_t mapped_bytes() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  return pages * heist::platform::page_bytes();
}

// Address space for some workers, not for all that were asked for.
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
