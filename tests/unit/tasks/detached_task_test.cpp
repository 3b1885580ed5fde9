// Detached tasks: each is called once for each start, no matter who starts it, and the pool waits
// for them.
#include "heist/detached_task.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "heist/parallel_for.hpp"
#include "heist/pool.hpp"
#include "heist/sync/latch.hpp"
#include "tests/unit/tasks/support.hpp"

namespace heist_test {
namespace {

class DetachedTasks : public testing::TestWithParam<setting> {
 protected:
  [[nodiscard]] static heist::pool_config config() {
    return {.workers = GetParam().workers, .deque = GetParam().deque, .join = GetParam().join};
  }
  const watchdog guard_{"detached tasks"};
};
INSTANTIATE_TEST_SUITE_P(Pools, DetachedTasks, testing::ValuesIn(pools()), name_of);

// Starts as many like itself as it is deep, from its own function or from forks of it, and deletes
// itself.
struct tree : heist::detached_task, counted {
  tree(int d, std::atomic<long>& n) : detached_task(&run), depth(d), called(n) {}
  static void run(heist::detached_task& t) noexcept {
    const std::unique_ptr<tree> self(&static_cast<tree&>(t));
    ++self->called;
    const auto start_one = [&] { heist::start_detached(*new tree(self->depth - 1, self->called)); };
    for (int i = 0; i < self->depth; ++i) {
      if (i % 3 == 1)
        heist::fork_join(start_one, [] {});
      else
        start_one();
    }
  }
  int depth;
  std::atomic<long>& called;
};
constexpr int tree_depth = tsan || emulated ? 5 : 7;
constexpr long tree_size = tsan || emulated ? 326 : 13'700;  // 1 + d * the size of depth d - 1

TEST_P(DetachedTasks, ThePoolWaitsForWhatTheyStart) {
  for (int round = 0; round < 3; ++round) {
    std::atomic<long> called{0};
    {
      heist::pool pool(config());
      heist::start_detached(pool, *new tree(tree_depth, called));
      if (round == 1)
        pool.run([&] { heist::start_detached(*new tree(tree_depth, called)); });
      else
        heist::start_detached(pool, *new tree(tree_depth, called));
    }
    EXPECT_EQ(called, 2 * tree_size);
    EXPECT_EQ(counted::alive, 0);
  }
}

TEST_P(DetachedTasks, StartFromManyThreadsAtOnce) {
  std::atomic<long> called{0};
  {
    heist::pool pool(config());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < scaled(200); ++k) heist::start_detached(pool, *new tree(2, called));
      });
    for (auto& t : threads) t.join();
  }
  EXPECT_EQ(called, 4 * scaled(200) * 5);
}

// One object that starts itself again and again.
struct again : heist::detached_task {
  explicit again(long n) : detached_task(&run), left(n) {}
  static void run(heist::detached_task& t) noexcept {
    auto& self = static_cast<again&>(t);
    if (--self.left != 0)
      heist::start_detached(self);
    else
      self.over.raise();
  }
  long left;
  signal_flag over;
};

TEST_P(DetachedTasks, OneMayStartItselfAgain) {
  again task(scaled(20'000));
  {
    heist::pool pool(config());
    heist::start_detached(pool, task);
  }
  EXPECT_TRUE(task.over.is_up());
}

struct until_told : heist::detached_task {
  until_told() : detached_task(&run) {}
  static void run(heist::detached_task& t) noexcept {
    auto& self = static_cast<until_told&>(t);
    if (!self.told.is_up()) heist::start_detached(self);
  }
  signal_flag told;
};

TEST_P(DetachedTasks, ThoseThatNeverEndDontKeepOthersOut) {
  if (is_serial()) GTEST_SKIP() << "what starts itself for ever is an endless recursion";
  until_told task;
  {
    heist::pool pool(config());
    heist::start_detached(pool, task);
    pool.submit([] {}).get();
    task.told.raise();
  }
  SUCCEED();  // the watchdog ends a test that hangs
}

// The child runs although its starter, on the only worker, suspends until it has run.
struct waits_for_child : heist::detached_task {
  waits_for_child() : detached_task(&run) {}
  static void run(heist::detached_task& t) noexcept {
    auto& self = static_cast<waits_for_child&>(t);
    struct child : heist::detached_task {
      explicit child(heist::latch& l) : detached_task(&count), latch(l) {}
      static void count(heist::detached_task& c) noexcept {
        static_cast<child&>(c).latch.count_down();
      }
      heist::latch& latch;
    };
    heist::latch both(2);
    child a(both);
    child b(both);
    heist::start_detached(a);
    heist::start_detached(b);
    both.wait();
    self.over.raise();
  }
  signal_flag over;
};

TEST_P(DetachedTasks, MayWaitForWhatTheyStart) {
  waits_for_child task;
  {
    heist::pool pool(config());
    heist::start_detached(pool, task);
  }
  EXPECT_TRUE(task.over.is_up());
}

TEST_P(DetachedTasks, StartFromTheIterationsOfALoop) {
  std::atomic<long> called{0};
  {
    heist::pool pool(config());
    heist::parallel_for(pool, 0, scaled(2000),
                        [&](int) { heist::start_detached(*new tree(1, called)); });
  }
  EXPECT_EQ(called, 2 * scaled(2000));
}

TEST(DetachedTasksOutside, RunInTheDefaultPool) {
  const watchdog guard("a task in the default pool");
  again task(100);
  heist::start_detached(task);
  EXPECT_TRUE(task.over.wait());
}

TEST(DetachedTasksHere, LieOnTheDequeWhereTheyAreStarted) {
  if (is_serial()) GTEST_SKIP() << "every start is a call";
  std::atomic<long> called{0};
  heist::pool pool({.workers = 1, .stats = heist::stats_kind::full});
  struct spawner : heist::detached_task {
    explicit spawner(std::atomic<long>& n) : detached_task(&run), called(n) {}
    static void run(heist::detached_task& t) noexcept {
      auto& self = static_cast<spawner&>(t);
      for (int i = 0; i < 100; ++i) heist::start_detached(*new tree(0, self.called));
      self.over.raise();
    }
    std::atomic<long>& called;
    signal_flag over;
  } task(called);
  heist::start_detached(pool, task);
  ASSERT_TRUE(eventually([&] { return called == 100; }));
  EXPECT_GE(pool.stats().total.puts, 100U);
  EXPECT_EQ(pool.stats().total.roots, 1U);
  ASSERT_TRUE(task.over.wait());
}

}  // namespace
}  // namespace heist_test
