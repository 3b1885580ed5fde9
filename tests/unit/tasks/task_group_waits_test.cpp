// Who waits for a task group calls tasks itself: those of the group alone, and not for ever.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>

#include "heist/future.hpp"
#include "heist/sync/latch.hpp"
#include "heist/task_group.hpp"
#include "tests/unit/tasks/support.hpp"

namespace heist_test {
namespace {

class TaskGroupWaits : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, TaskGroupWaits, testing::ValuesIn(pools()), name_of);

// What a task starts that the waiter has called isn't called by the waiter, unless it waits for
// that as well: it may need what the waiter does next.
TEST_P(TaskGroupWaits, CallNothingForWhichNobodyWaits) {
  if (is_serial()) GTEST_SKIP() << "every task is a call";
  pool_.run([&] {
    heist::task_group awaited;
    heist::task_group other;
    heist::latch go(1);
    std::atomic<int> called{0};
    awaited.run([&] {
      other.run([&] {
        go.wait();
        ++called;
      });
      awaited.run([&] { ++called; });
    });
    awaited.wait();
    go.count_down();
    other.wait();
    EXPECT_EQ(called, 2);
  });
}

TEST(TaskGroupsAlone, AreWaitedForInAChildOfFork) {
  if (is_serial() || tsan || asan) GTEST_SKIP() << "a sanitizer's child";
  const watchdog guard("a child of fork()");
  heist::pool pool({.workers = 1});
  heist::task_group outer(pool);
  int status = -1;
  outer.run([&] {
    heist::task_group g;
    std::atomic<int> called{0};
    for (int i = 0; i < 3; ++i) g.run([&] { ++called; });
    const pid_t child = ::fork();
    g.wait();
    if (child == 0) ::_exit(called == 3 ? 0 : 1);
    EXPECT_EQ(called, 3);
    EXPECT_EQ(::waitpid(child, &status, 0), child);
  });
  outer.wait();
  EXPECT_EQ(status, 0);
}

// Tasks that start each other until somebody outside says that it is enough.
TEST_P(TaskGroupWaits, LetWhatWaitsAtTheEntryBegin) {
  if (is_serial()) GTEST_SKIP() << "every task is a call";
  std::atomic<bool> enough{false};
  const auto waiting = pool_.submit([&] {
    heist::task_group g;
    std::function<void()> start_next = [&] {
      if (!enough) g.run(start_next);
    };
    g.run(start_next);
    g.wait();
  });
  // Inside a task as well, where tasks lie on the deque.
  heist::task_group outer(pool_);
  outer.run([&] {
    heist::task_group g;
    std::function<void()> start_next = [&] {
      if (!enough) g.run(start_next);
    };
    g.run(start_next);
    g.wait();
  });
  pool_.submit([&] { enough = true; }).get();
  outer.wait();
  waiting.wait();
  EXPECT_TRUE(enough);
}

}  // namespace
}  // namespace heist_test
