// Task groups: each task runs once, no matter who starts it; wait() joins all of them, and says
// what they threw and how many were skipped.
#include "heist/task_group.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heist/cancellation.hpp"
#include "heist/fork_join.hpp"
#include "heist/parallel_for.hpp"
#include "heist/pool.hpp"
#include "heist/scope.hpp"
#include "heist/sync/latch.hpp"
#include "tests/unit/tasks/support.hpp"

namespace heist_test {
namespace {

static_assert(heist::stop_condition<heist::task_group>);

class TaskGroups : public on_pools {
 protected:
  // Starts as many like itself as it is deep, some of them from forks.
  static void grow(heist::task_group& g, int depth, std::atomic<long>& called) {
    ++called;
    const auto start_one = [&g, &called, depth] {
      g.run([&g, &called, depth] { grow(g, depth - 1, called); });
    };
    for (int i = 0; i < depth; ++i) {
      if (i % 3 == 1)
        heist::fork_join(start_one, [] {});
      else
        start_one();
    }
  }
  // A tree has 1 + d * (the size of depth d - 1) tasks.
  static constexpr int tree_depth = tsan || emulated ? 5 : 7;
  static constexpr long tree_size = tsan || emulated ? 326 : 13'700;
};
INSTANTIATE_TEST_SUITE_P(Pools, TaskGroups, testing::ValuesIn(pools()), name_of);

TEST_P(TaskGroups, RunEachTaskOnceAndWaitForWhatTasksStart) {
  heist::task_group g(pool_);
  for (int round = 0; round < 3; ++round) {
    std::atomic<long> called{0};
    const auto tree = [&] { grow(g, tree_depth, called); };
    std::uint64_t skipped = 1;
    if (round == 0) {
      g.run(tree);
      skipped = g.wait();
    } else if (round == 1) {
      skipped = g.run_and_wait(tree);
    } else {
      skipped = pool_.run([&] {
        g.run(tree);
        return g.wait();
      });
    }
    EXPECT_EQ(called, tree_size) << "round " << round;
    EXPECT_EQ(skipped, 0U);
  }
}

TEST_P(TaskGroups, RunEachOfManyTasksExactlyOnce) {
  const int n = scaled(4000);
  std::vector<std::atomic<int>> runs(static_cast<std::size_t>(4 * n));
  heist::task_group g(pool_);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < n; ++i) g.run([&runs, at = t * n + i] { ++runs[std::size_t(at)]; });
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(g.wait(), 0U);
  for (const auto& r : runs) ASSERT_EQ(r, 1);
}

TEST_P(TaskGroups, WaitForTheIterationsThatStartTasks) {
  std::atomic<long> called{0};
  pool_.run([&] {
    heist::task_group g;
    heist::parallel_for(0, scaled(2000), [&](int) { g.run([&] { ++called; }); });
    g.wait();
  });
  EXPECT_EQ(called, scaled(2000));
}

TEST_P(TaskGroups, AreNestedInTasksOfOthers) {
  std::atomic<long> leaves{0};
  heist::task_group outer(pool_);
  for (int i = 0; i < scaled(100); ++i)
    outer.run([&] {
      heist::task_group inner;
      for (int k = 0; k < 10; ++k) inner.run([&] { fork_tree(2, [&] { ++leaves; }); });
      const long sum = leaves;
      inner.wait();
      EXPECT_GE(leaves - sum, 0);
      heist::task_group last;
      last.run_and_wait([&] { last.run([&] { ++leaves; }); });
    });
  outer.wait();
  EXPECT_EQ(leaves, scaled(100) * 41);
}

// With a stack for each of them the pool would have thousands.
TEST_P(TaskGroups, ThatAreNestedNeedFewStacks) {
  const std::function<long(int)> fib = [&fib](int n) -> long {
    if (n < 2) return n;
    long a = 0;
    long b = 0;
    heist::task_group g;
    g.run([&] { a = fib(n - 1); });
    g.run([&] { b = fib(n - 2); });
    g.wait();
    return a + b;
  };
  const bool is_small = tsan || emulated;
  EXPECT_EQ(pool_.run([&] { return fib(is_small ? 12 : 18); }), is_small ? 144 : 2584);
  EXPECT_LE(pool_.stats().stacks_peak, 300U + 40U * pool_.workers());
}

TEST_P(TaskGroups, InTheLeavesOfForksNeedFewStacks) {
  std::atomic<long> called{0};
  const int depth = tsan || emulated ? 7 : 11;
  pool_.run([&] {
    fork_tree(depth, [&] {
      heist::task_group g;
      for (int i = 0; i < 3; ++i) g.run([&] { ++called; });
      g.wait();
    });
  });
  EXPECT_EQ(called, 3L << depth);
  EXPECT_LE(pool_.stats().stacks_peak, 300U + 40U * pool_.workers());
}

// A task leaves work of two groups on its deque, and waits for the older one.
TEST_P(TaskGroups, WaitForTheOlderOfTwo) {
  std::atomic<long> called{0};
  heist::task_group outer(pool_);
  for (int i = 0; i < scaled(200); ++i)
    outer.run([&] {
      heist::task_group older;
      heist::task_group newer;
      older.run([&] { ++called; });
      newer.run([&] { newer.run([&] { ++called; }); });
      newer.run([&] { older.run([&] { ++called; }); });
      older.run([&] { ++called; });
      older.wait();
      newer.wait();
      older.wait();
    });
  EXPECT_EQ(outer.wait(), 0U);
  EXPECT_EQ(called, scaled(200) * 4);
}

TEST_P(TaskGroups, DestroyEveryClosureBeforeTheWaitEnds) {
  heist::task_group g(pool_);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 20; ++i)
      g.run([&g, c = std::make_unique<counted>(), i] {
        if (i == 7) g.request_stop();
      });
    g.wait();
    ASSERT_EQ(counted::alive, 0);
  }
}

TEST_P(TaskGroups, ThrowOneExceptionAndCanBeUsedAgain) {
  heist::task_group g(pool_);
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> thrown{0};
    for (int i = 0; i < 50; ++i)
      g.run([&, c = std::make_unique<counted>(), i] {
        if (i % 10 == 3) throw std::runtime_error(std::to_string(++thrown));
      });
    EXPECT_THROW(g.wait(), std::runtime_error);
    EXPECT_GE(thrown, 1);
    EXPECT_FALSE(g.stop_requested());
    std::atomic<int> called{0};
    for (int i = 0; i < 50; ++i) g.run([&] { ++called; });
    EXPECT_EQ(g.wait(), 0U);
    EXPECT_EQ(called, 50);
    ASSERT_EQ(counted::alive, 0);
  }
}

TEST_P(TaskGroups, ThrowWhatTheCallersOwnFunctionThrows) {
  heist::task_group g(pool_);
  std::atomic<int> called{0};
  const auto throwing = [&] {
    g.run([&] { ++called; });
    throw std::logic_error("own");
  };
  EXPECT_THROW(g.run_and_wait(throwing), std::logic_error);
  EXPECT_THROW(pool_.run([&] { g.run_and_wait(throwing); }), std::logic_error);
  EXPECT_LE(called, 2);
  EXPECT_EQ(g.wait(), 0U);  // what was skipped before is forgotten
}

TEST_P(TaskGroups, CountWhatAStopSkips) {
  heist::task_group g(pool_);
  std::atomic<std::uint64_t> called{0};
  for (int round = 0; round < 10; ++round) {
    called = 0;
    for (int i = 0; i < 100; ++i)
      g.run([&] {
        if (++called == 5) g.request_stop();
      });
    const std::uint64_t skipped = g.wait();
    EXPECT_EQ(called + skipped, 100U);
    EXPECT_GE(called, 5U);
  }
  g.request_stop();
  EXPECT_TRUE(g.stop_requested());
  g.run([&] { FAIL() << "a task began after the stop"; });
  EXPECT_EQ(g.wait(), 1U);
  EXPECT_FALSE(g.stop_requested());
}

TEST_P(TaskGroups, StopTheLoopsOfTheirTasks) {
  heist::task_group g(pool_);
  g.run([&] {
    heist::parallel_for(g, 0, 1'000'000'000, [&](int i) {
      if (i == 0) g.request_stop();
    });
  });
  EXPECT_THROW(g.wait(), heist::cancelled);
}

TEST_P(TaskGroups, SuspendTheFiberThatWaits) {
  if (is_serial()) GTEST_SKIP() << "every task is a call";
  heist::task_group g(pool_);
  heist::latch told(1);
  g.run([&] { told.wait(); });
  // On one worker too: its thread has to be free for the function that ends the wait.
  auto waiting = pool_.submit([&] { return g.wait(); });
  pool_.submit([&] { told.count_down(); }).get();
  EXPECT_EQ(waiting.get(), 0U);
}

TEST_P(TaskGroups, MayBeWaitedForBySeveral) {
  heist::task_group g(pool_);
  for (int round = 0; round < scaled(50); ++round) {
    std::atomic<int> called{0};
    std::atomic<int> caught{0};
    for (int i = 0; i < 10; ++i)
      g.run([&] {
        if (++called == 10) throw std::runtime_error("the last");
      });
    const auto wait = [&] {
      try {
        g.wait();
      } catch (const std::runtime_error&) {
        ++caught;
      }
    };
    std::thread a(wait);
    std::thread b([&] { pool_.run(wait); });
    wait();
    a.join();
    b.join();
    EXPECT_EQ(called, 10);
    EXPECT_EQ(caught, 1);
  }
}

TEST_P(TaskGroups, MayBeDestroyedAsSoonAsTheWaitIsOver) {
  std::atomic<long> called{0};
  pool_.run([&] {
    for (int i = 0; i < scaled(2000); ++i) {
      const auto g = std::make_unique<heist::task_group>();
      g->run([&] { ++called; });
      g->run([&] { ++called; });
      g->wait();
    }
  });
  EXPECT_EQ(called, 2 * scaled(2000));
}

TEST_P(TaskGroups, AreStoppedAndJoinedWhereAnExceptionPasses) {
  if (is_serial()) GTEST_SKIP() << "every task is a call";
  const auto leave = [&] {
    std::atomic<int> alive{0};
    try {
      heist::latch begun(1);
      heist::latch told(1);
      heist::task_group g(pool_);
      g.run([&] {
        ++alive;
        begun.count_down();
        told.wait();
        fork_tree(6, [] {});
        --alive;
        throw std::logic_error("lost");
      });
      begun.wait();
      const auto told_later = pool_.submit([&] { told.count_down(); });
      throw std::runtime_error("passes");
    } catch (const std::runtime_error&) {
      EXPECT_EQ(alive, 0);
    }
  };
  for (int i = 0; i < scaled(50); ++i) {
    leave();
    pool_.run(leave);
  }
}

// A class as users write it.
class summing {
 public:
  explicit summing(heist::pool& p) : group_(p) {}
  void add(long n) {
    group_.run([this, n] { sum_ += n; });
  }
  long finish() {
    group_.wait();
    return sum_;
  }

 private:
  std::atomic<long> sum_{0};
  heist::task_group group_;
};

TEST_P(TaskGroups, AreMembersOfObjects) {
  summing s(pool_);
  for (int i = 1; i <= 100; ++i) s.add(i);
  EXPECT_EQ(s.finish(), 5050);
  s.add(1);
  EXPECT_EQ(s.finish(), 5051);
}

TEST_P(TaskGroups, RefuseATaskThatWaitsForItself) {
  heist::task_group g(pool_);
  g.run([&] { g.wait(); });
  EXPECT_THROW(g.wait(), heist::usage_error);
  g.run([&] { g.run_and_wait([] {}); });
  EXPECT_THROW(g.wait(), heist::usage_error);
  EXPECT_THROW(g.run_and_wait([&] { g.wait(); }), heist::usage_error);
  // Through a task of another group, which runs on the same stack here or doesn't exist.
  g.run([&] {
    heist::task_group other;
    other.run_and_wait([&] { g.wait(); });
  });
  EXPECT_THROW(g.wait(), heist::usage_error);
}

TEST(TaskGroupsHere, PutTheTasksOfTasksOnTheDeque) {
  if (is_serial()) GTEST_SKIP() << "every task is a call";
  const watchdog guard("tasks on a deque");
  heist::pool pool({.workers = 1, .stats = heist::stats_kind::full});
  heist::task_group g(pool);
  std::vector<int> order;
  g.run([&] {
    for (int i = 0; i < 100; ++i) g.run([&order, i] { order.push_back(i); });
  });
  g.wait();
  ASSERT_EQ(order.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[std::size_t(i)], 99 - i);
  EXPECT_GE(pool.stats().total.puts, 100U);
  EXPECT_EQ(pool.stats().total.roots, 1U);
}

TEST(TaskGroupsOutside, RunInTheDefaultPool) {
  const watchdog guard("a group in the default pool");
  heist::task_group g;
  std::atomic<int> called{0};
  g.run([&] { called += heist::this_worker::pool() == &heist::default_pool() || is_serial(); });
  g.wait();
  g.run_and_wait([&] { g.run([&] { ++called; }); });
  EXPECT_EQ(called, 2);
}

TEST(TaskGroupsOutside, KeepNothingOfATaskThatCannotBeMade) {
  struct throws_when_copied {
    throws_when_copied() = default;
    throws_when_copied(const throws_when_copied&) { throw std::runtime_error("no copy"); }
    void operator()() const {}
  };
  const throws_when_copied f;
  heist::task_group g;
  EXPECT_THROW(g.run(f), std::runtime_error);
  // Nothing was started, so the destructor has nothing to object to.
}

TEST(TaskGroupsDeathTest, EndTheProgramWhereNobodyHasWaited) {
  const std::string line = "heist: a task_group is destroyed after run\\(\\) without wait\\(\\)";
  const auto forget = [](int tasks) {
    heist::pool pool({.workers = 2});
    heist::task_group g(pool);
    g.run([] {});
    for (int i = 1; i < tasks; ++i) {
      g.wait();
      g.run([] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
    }
  };
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(forget(1), line);
  EXPECT_DEATH(forget(2), line);
}

}  // namespace
}  // namespace heist_test
