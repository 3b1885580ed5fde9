// Tests what destructors of thread_local objects may do on a worker's thread when it ends.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "heist/heist.hpp"
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

}  // namespace
}  // namespace heist_test
