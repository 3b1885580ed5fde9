// Tests what destructors of thread_local objects may do on a worker's thread when it ends.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <tuple>

#include "heist/heist.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

// Calls its function when the thread that it belongs to ends.
struct at_thread_end {
  std::function<void()> function;
  ~at_thread_end() {
    if (function) function();
  }
};

thread_local at_thread_end last_words;

class ThreadExit : public testing::Test {
 protected:
  // Runs `function` in the destructor of a thread_local of each worker of a pool with that deque.
  static void run_at_exit(const std::function<void()>& function,
                          heist::deque_kind deque = heist::deque_kind::split) {
    const watchdog guard("the destructor of a thread_local");
    heist::pool pool({.workers = 2, .deque = deque});
    for (unsigned i = 0; i < pool.workers(); ++i)
      pool.run_on(i, [&] { last_words.function = function; });
    EXPECT_EQ(pool.run([] { return fib(12); }), 144);
  }
};

TEST_F(ThreadExit, ADestructorForksInTheDefaultPool) {
  std::atomic<int> right{0};
  for (const heist::deque_kind deque : heist::all_deque_kinds) {
    right = 0;
    run_at_exit([&] { right += fib(15) == 610; }, deque);
    EXPECT_EQ(right.load(), 2);
  }
}

TEST_F(ThreadExit, ADestructorIsOnNoWorker) {
  std::atomic<int> outside{0};
  run_at_exit([&] { outside += heist::this_worker::index() == -1; });
  EXPECT_EQ(outside.load(), is_serial() ? 1 : 2);
}

TEST_F(ThreadExit, ADestructorWaitsForAnotherPool) {
  heist::pool other({.workers = 2});
  std::atomic<long> sum{0};
  run_at_exit([&] { sum += other.run([] { return fib(10); }); });
  EXPECT_EQ(sum.load(), is_serial() ? 55 : 110);
}

TEST_F(ThreadExit, ADestructorMakesAPoolOfItsOwn) {
  std::atomic<long> sum{0};
  run_at_exit([&] {
    heist::pool own({.workers = 2});
    sum += own.run([] { return fib(10); });
  });
  EXPECT_EQ(sum.load(), is_serial() ? 55 : 110);
}

TEST_F(ThreadExit, ADestructorWaitsForAFuture) {
  std::atomic<long> sum{0};
  run_at_exit([&] { sum += heist::submit([] { return fib(10); }).get(); });
  EXPECT_EQ(sum.load(), is_serial() ? 55 : 110);
}

TEST_F(ThreadExit, ADestructorSpawns) {
  std::atomic<int> ran{0};
  run_at_exit([&] {
    heist::scope([&](heist::task_scope& s) {
      for (int i = 0; i < 10; ++i) s.spawn([&] { ++ran; });
    });
  });
  EXPECT_EQ(ran.load(), is_serial() ? 10 : 20);
}

// The two destructors and a third thread take turns.
TEST_F(ThreadExit, ADestructorWaitsForAContendedMutex) {
  heist::mutex mutex;
  long counter = 0;
  std::atomic<bool> stop{false};
  std::thread rival([&] {
    while (!stop) {
      const std::lock_guard hold(mutex);
      linger(std::chrono::microseconds(50));
    }
  });
  run_at_exit([&] {
    for (int i = 0; i < 100; ++i) {
      const std::lock_guard hold(mutex);
      ++counter;
    }
  });
  stop = true;
  rival.join();
  EXPECT_EQ(counter, is_serial() ? 100 : 200);
}

TEST_F(ThreadExit, ADestructorCallsWhatBlocks) {
  std::atomic<int> ran{0};
  run_at_exit([&] { ran += heist::blocking([] { return 1; }); });
  EXPECT_EQ(ran.load(), is_serial() ? 1 : 2);
}

// The hook runs first, on the worker; the destructors run after it.
TEST_F(ThreadExit, TheStopHookIsStillOnTheWorker) {
  std::atomic<int> in_hook{0};
  std::atomic<int> in_destructor{0};
  {
    const watchdog guard("a stop hook and a destructor");
    heist::pool pool({.workers = 1, .on_thread_stop = [&](unsigned) {
                        in_hook += heist::this_worker::index() == 0;
                      }});
    pool.run([&] {
      last_words.function = [&] {
        in_destructor += in_hook == 1 && heist::this_worker::index() == -1 && fib(10) == 55;
      };
    });
  }
  if (is_serial()) return;
  EXPECT_EQ(in_hook.load(), 1);
  EXPECT_EQ(in_destructor.load(), 1);
}

// ---- What the child of fork() can do with inherited pools.

const auto one_and_two = [] {
  return heist::fork_join([] { return 1; }, [] { return 2; }) == std::tuple(1, 2);
};

class ForkProcess : public testing::Test {
 protected:
  void SetUp() override {
    if (tsan) GTEST_SKIP() << "ThreadSanitizer lets no child of several threads start one";
    if (emulated) GTEST_SKIP() << "qemu fails an assertion of its own in such a child";
  }
};

TEST_F(ForkProcess, TheChildGetsADefaultPoolOfItsOwn) {
  ASSERT_TRUE(one_and_two());
  const heist::pool* const ours = &heist::default_pool();
  EXPECT_EQ(in_forked_child([&] {
              if (!one_and_two()) return 1;
              if (&heist::default_pool() == ours) return 2;
              return heist::default_pool().stats().total.roots >= 1 ? 0 : 3;
            }),
            0);
  EXPECT_TRUE(one_and_two());
  EXPECT_EQ(&heist::default_pool(), ours);
}

TEST_F(ForkProcess, TheGrandchildToo) {
  ASSERT_TRUE(one_and_two());
  EXPECT_EQ(in_forked_child([&] {
              if (!one_and_two()) return 1;
              return in_forked_child([] { return one_and_two() ? 0 : 2; });
            }),
            0);
}

TEST_F(ForkProcess, AnInheritedPoolIsRefusedWithAReason) {
  heist::pool pool({.workers = 2});
  EXPECT_EQ(pool.run([] { return 1; }), 1);
  EXPECT_EQ(in_forked_child([&] {
              try {
                pool.run([] {});
              } catch (const heist::usage_error&) {
                return 0;
              }
              return 1;
            }),
            0);
  EXPECT_EQ(pool.run([] { return 2; }), 2);
}

TEST_F(ForkProcess, TheChildMayDestroyWhatItInherited) {
  std::optional<heist::pool> pool;
  pool.emplace(heist::pool_config{.workers = 3});
  EXPECT_EQ(in_forked_child([&] {
              pool.reset();
              heist::pool other({.workers = 2});
              return other.run(one_and_two) ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(pool->run(one_and_two));
}

class ForkInWorker : public ForkProcess, public testing::WithParamInterface<heist::deque_kind> {
 protected:
  // Calls fork() on a worker, with an open fork; returns the child's exit code.
  template <class Body>
  int forked_in_worker(Body&& body) {
    heist::pool pool({.workers = 1, .deque = GetParam()});
    return pool.run([&] {
      return std::get<0>(heist::fork_join([&] { return in_forked_child(body); }, [] { return 1; }));
    });
  }
};

TEST_P(ForkInWorker, TheChildsForksAreCalls) {
  EXPECT_EQ(forked_in_worker([] { return one_and_two() && one_and_two() ? 0 : 1; }), 0);
}

TEST_P(ForkInWorker, TheChildCanUseTheDefaultPoolAndOthers) {
  ASSERT_TRUE(one_and_two());
  EXPECT_EQ(forked_in_worker([] {
              if (!heist::default_pool().run(one_and_two)) return 1;
              heist::pool other({.workers = 2});
              if (!other.run(one_and_two)) return 2;
              return heist::fork_join([&] { return other.run([] { return 1; }); },
                                      [] { return 2; }) == std::tuple(1, 2)
                         ? 0
                         : 3;
            }),
            0);
}

TEST_P(ForkInWorker, TheChildMayDestroyThePoolThatItCameFrom) {
  std::optional<heist::pool> pool;
  pool.emplace(heist::pool_config{.workers = 2, .deque = GetParam()});
  EXPECT_EQ(pool->run([&] {
    return in_forked_child([&] {
      pool.reset();
      return one_and_two() ? 0 : 1;
    });
  }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Deques, ForkInWorker, testing::ValuesIn(heist::all_deque_kinds),
                         [](const auto& p) { return std::string(to_string(p.param)); });

}  // namespace
}  // namespace heist_test
