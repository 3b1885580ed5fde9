// Task objects: each is executed once, waits end when all children have ended, and exceptions
// arrive.
#include "heist/task.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "heist/error.hpp"
#include "heist/scope.hpp"
#include "heist/sync/latch.hpp"
#include "tests/unit/tasks/support.hpp"

namespace heist_test {
namespace {

class Tasks : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, Tasks, testing::ValuesIn(pools()), name_of);

// A task made from a function.
struct doing : heist::task {
  explicit doing(std::function<void(heist::task&)> f) : what(std::move(f)) {}
  void execute() override { what(*this); }
  std::function<void(heist::task&)> what;
};

struct fib_task : heist::task {
  fib_task(int number, long& result) : n(number), sum(result) {}
  void execute() override {
    if (n < 2) {
      sum = n;
      return;
    }
    long x = 0;
    long y = 0;
    fib_task a(n - 1, x);
    fib_task b(n - 2, y);
    spawn(a);
    spawn(b);
    wait_for_all();
    sum = x + y;
  }
  int n;
  long& sum;
};

TEST_P(Tasks, Fib) {
  long result = 0;
  fib_task root(tsan || emulated ? 14 : 20, result);
  heist::run_task(pool_, root);
  EXPECT_EQ(result, tsan || emulated ? 377 : 6765);
}

TEST(TasksOutside, RunInTheDefaultPool) {
  long result = 0;
  fib_task root(15, result);
  heist::run_task(root);
  EXPECT_EQ(result, 610);
}

// A random tree of tasks that delete themselves; some wait more than once, some do not wait before
// they end.
struct tree_task : heist::task, counted {
  tree_task(unsigned s, int d, std::atomic<long>& n) : seed(s), depth(d), executed(n) {}
  void execute() override {
    ++executed;
    std::minstd_rand random(seed);
    const int children = random_children(random, depth);
    for (int i = 0; i < children; ++i) {
      spawn(std::make_unique<tree_task>(random(), depth - 1, executed));
      if (random() % 4 == 0) {
        wait_for_all();
        EXPECT_EQ(unfinished_children(), 0U);
      }
      if (random() % 8 == 0) heist::fork_join([] {}, [] {});
    }
    EXPECT_LE(unfinished_children(), static_cast<unsigned>(children));
  }
  unsigned seed;
  int depth;
  std::atomic<long>& executed;
};

TEST_P(Tasks, EachIsExecutedOnceAndThenDeleted) {
  const unsigned first = std::random_device()();
  SCOPED_TRACE("first seed " + std::to_string(first));
  const long before = counted::alive;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(scaled(40)); ++seed) {
    std::atomic<long> executed{0};
    // minstd_rand does not accept the seed 0.
    tree_task root(seed | 1, 7, executed);
    heist::run_task(pool_, root);
    ASSERT_EQ(executed.load(), random_tree_size(seed | 1, 7, 2));
    ASSERT_EQ(counted::alive, before + 1);
    ASSERT_EQ(root.unfinished_children(), 0U);
  }
}

TEST_P(Tasks, AChildKnowsItsParentAndMayGiveItMoreChildren) {
  std::atomic<int> ran{0};
  std::deque<doing> more;
  for (int i = 0; i < 10; ++i) more.emplace_back([&](heist::task&) { ++ran; });
  doing child([&](heist::task& self) {
    for (doing& t : more) self.parent()->spawn(t);
  });
  doing root([&](heist::task& self) {
    EXPECT_EQ(self.parent(), nullptr);
    self.spawn(child);
    self.wait_for_all();
    EXPECT_EQ(ran.load(), 10);
  });
  heist::run_task(pool_, root);
  EXPECT_EQ(child.parent(), &root);
  EXPECT_EQ(more.front().parent(), &root);
}

TEST_P(Tasks, NestInForksAndScopes) {
  std::atomic<int> ran{0};
  std::deque<doing> children;
  for (int i = 0; i < 40; ++i)
    children.emplace_back([&](heist::task&) {
      fork_tree(3, [&ran] { ++ran; });
      linger(std::chrono::microseconds(2));
    });
  doing root([&](heist::task& self) {
    for (int i = 0; i < 10; ++i) self.spawn(children[static_cast<std::size_t>(i)]);
    heist::fork_join([&] { self.spawn(children[10]); }, [&] { self.spawn(children[11]); });
    for (int i = 12; i < 20; ++i) self.spawn(children[static_cast<std::size_t>(i)]);
    heist::scope([&](heist::task_scope& s) {
      for (int i = 20; i < 30; ++i)
        s.spawn([&, i] { self.spawn(children[static_cast<std::size_t>(i)]); });
      self.spawn(children[30]);
    });
    for (int i = 31; i < 40; ++i) self.spawn(children[static_cast<std::size_t>(i)]);
  });
  for (int round = 0; round < scaled(50); ++round) {
    ran = 0;
    heist::run_task(pool_, root);
    ASSERT_EQ(ran.load(), 320);
  }
}

TEST_P(Tasks, TheFirstChildsExceptionArrivesAtTheWaiter) {
  for (int round = 0; round < scaled(50); ++round) {
    doing good([](heist::task&) {});
    doing bad([](heist::task&) { throw std::runtime_error("first"); });
    doing worse([](heist::task&) {
      linger(std::chrono::microseconds(2));
      throw std::runtime_error("second");
    });
    bool arrived = false;
    doing root([&](heist::task& self) {
      self.spawn(good);
      self.spawn(bad);
      self.spawn(worse);
      try {
        self.wait_for_all();
      } catch (const std::runtime_error& e) {
        arrived = std::string(e.what()) == "first";
      }
      EXPECT_EQ(self.unfinished_children(), 0U);
      self.wait_for_all();  // it was thrown once
    });
    heist::run_task(pool_, root);
    ASSERT_TRUE(arrived);
  }
}

TEST_P(Tasks, AnExceptionThatNobodyWaitedForArrivesAtTheRoot) {
  doing deep([](heist::task&) { throw 5; });
  doing child([&](heist::task& self) { self.spawn(deep); });
  doing root([&](heist::task& self) { self.spawn(child); });
  try {
    heist::run_task(pool_, root);
    FAIL() << "nothing was thrown";
  } catch (int thrown) {
    EXPECT_EQ(thrown, 5);
  }
  doing own([&](heist::task&) { throw 6; });
  EXPECT_THROW(heist::run_task(pool_, own), int);
  const long before = counted::alive;
  doing leaves_out([](heist::task& self) {
    struct holds : heist::task, counted {
      void execute() override {}
    };
    self.spawn(std::make_unique<doing>([](heist::task&) { throw 7; }));
    for (int i = 0; i < 100; ++i) self.spawn(std::make_unique<holds>());
  });
  EXPECT_THROW(heist::run_task(pool_, leaves_out), int);
  EXPECT_EQ(counted::alive, before);
}

TEST_P(Tasks, OnlyExecuteItselfCanWait) {
  if (is_serial()) GTEST_SKIP() << "spawned children have ended already";
  heist::latch refused(1);
  doing child([&](heist::task&) { refused.wait(); });
  doing root([&](heist::task& self) {
    self.spawn(child);
    heist::fork_join([&] { EXPECT_THROW(self.wait_for_all(), heist::usage_error); }, [] {});
    refused.count_down();
    self.wait_for_all();
  });
  heist::run_task(pool_, root);
}

// Spawns children, few of which find a place on the deque.
TEST_P(Tasks, MoreThanTheDequeHolds) {
  heist::pool shallow({.workers = GetParam().workers, .fork_depth = 16});
  std::atomic<int> ran{0};
  doing root([&](heist::task& self) {
    for (int i = 0; i < 1000; ++i)
      self.spawn(std::make_unique<doing>([&](heist::task&) { ++ran; }));
  });
  heist::run_task(shallow, root);
  EXPECT_EQ(ran.load(), 1000);
}

}  // namespace
}  // namespace heist_test
