// What tasks, jobs and task objects leave on the deque, and the scopes that they open above it: a
// wait inside a scope must not make the scope take a fork for its own function.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "heist/error.hpp"
#include "heist/job_system.hpp"
#include "heist/scope.hpp"
#include "heist/sync/latch.hpp"
#include "heist/task.hpp"
#include "heist/task_group.hpp"
#include "tests/unit/tasks/support.hpp"

namespace heist_test {
namespace {

struct scopes_setting {
  unsigned workers;
  heist::spawn_kind pools;  // how spawns of the pool work, and of the scope
  heist::spawn_kind scopes;
  heist::join_kind join = heist::join_kind::greedy;
};

std::string name_of_scopes(const testing::TestParamInfo<scopes_setting>& s) {
  return std::to_string(s.param.workers) + "_" + std::string(to_string(s.param.pools)) + "_" +
         std::string(to_string(s.param.scopes)) + "_" + std::string(to_string(s.param.join));
}

class LeftWork : public testing::TestWithParam<scopes_setting> {
 protected:
  // In a scope: waits for what was left before it opened, and then spawns from branches of forks,
  // at every depth that a wait may have brought back. The other branches fork in the slots in which
  // children would lie that the first ones had pushed. Returns how many children ran.
  template <class Wait>
  static int spawn_after(const Wait& wait) {
    std::atomic<int> ran{0};
    heist::scope(GetParam().scopes, [&](heist::task_scope& s) {
      wait();
      spawn_in_forks(s, ran, children - 1);
      s.spawn([&ran] { ++ran; });
    });
    return ran;
  }
  static void spawn_in_forks(heist::task_scope& s, std::atomic<int>& ran, int depth) {
    if (depth == 0) return;
    heist::fork_join(
        [&] {
          spawn_in_forks(s, ran, depth - 1);
          s.spawn([&ran] { ++ran; });
        },
        [] { fork_tree(children, [] {}); });
  }

  static constexpr int children = 6;
  static constexpr int rounds = 50;

  heist::pool pool_{
      {.workers = GetParam().workers, .join = GetParam().join, .spawn = GetParam().pools}};
  const watchdog guard_{"scopes above left work"};
};

constexpr auto continuation = heist::spawn_kind::continuation;
constexpr auto child = heist::spawn_kind::child;
INSTANTIATE_TEST_SUITE_P(
    Pools, LeftWork,
    testing::Values(scopes_setting{1, continuation, continuation},
                    scopes_setting{1, continuation, child}, scopes_setting{1, child, continuation},
                    scopes_setting{1, child, child},
                    scopes_setting{1, continuation, continuation, heist::join_kind::stalling},
                    scopes_setting{3, continuation, child}, scopes_setting{3, child, continuation}),
    name_of_scopes);

TEST_P(LeftWork, OfTasksIsKeptByScopes) {
  heist::task_group all(pool_);
  std::atomic<int> ran{0};
  std::atomic<int> called{0};
  for (int round = 0; round < rounds; ++round)
    all.run([&] {
      heist::task_group inner;
      for (int i = 0; i < 3; ++i) inner.run([&] { ++called; });
      ran += spawn_after([&] { inner.wait(); });
      inner.run([&] { ++called; });
      ran += spawn_after([&] { inner.run_and_wait([&] { ++called; }); });
    });
  all.wait();
  EXPECT_EQ(ran, 2 * children * rounds);
  EXPECT_EQ(called, 5 * rounds);
}

TEST_P(LeftWork, OfTasksMayBeMadeInScopes) {
  heist::task_group all(pool_);
  std::atomic<int> ran{0};
  std::atomic<int> called{0};
  for (int round = 0; round < rounds; ++round)
    all.run([&] {
      heist::task_group inner;
      inner.run([&] { ++called; });
      ran += spawn_after([&] {
        for (int i = 0; i < 100; ++i) inner.run([&] { ++called; });
        inner.wait();
        inner.run([&] { ++called; });
      });
      inner.wait();
    });
  all.wait();
  EXPECT_EQ(ran, children * rounds);
  EXPECT_EQ(called, 102 * rounds);
}

TEST_P(LeftWork, OfJobsIsKeptByScopes) {
  heist::job_system jobs(pool_);
  std::atomic<int> ran{0};
  std::atomic<int> called{0};
  for (int round = 0; round < rounds; ++round) {
    jobs.on_worker([&] {
      const auto one = [&] {
        const auto j = jobs.create_job([&called] { ++called; });
        jobs.run(j);
        return j;
      };
      one();
      const auto last = one();
      ran += spawn_after([&] { jobs.wait(last); });
      const auto outer = one();
      jobs.on_worker([&] {
        one();
        ran += spawn_after([&] { jobs.wait(outer); });
      });
    });
  }
  EXPECT_EQ(ran, 2 * children * rounds);
  EXPECT_TRUE(eventually([&] { return called == 4 * rounds; }));
}

struct counted_task : heist::task {
  explicit counted_task(std::atomic<int>& n) : called(n) {}
  counted_task(const counted_task& other) : called(other.called) {}
  void execute() override { ++called; }
  std::atomic<int>& called;
};

struct scoped_task : counted_task {
  using counted_task::counted_task;
  // Ends after it was refused to wait for it.
  struct late : counted_task {
    late(std::atomic<int>& n, heist::latch& end) : counted_task(n), until(end) {}
    void execute() override {
      until.wait();
      ++called;
    }
    heist::latch& until;
  };
  void execute() override {
    heist::latch refused(1);
    late a(called, refused);
    counted_task b(called);
    spawn(a);
    heist::scope(kind, [&](heist::task_scope& s) {
      spawn(b);
      // A scope isn't the task's own function.
      EXPECT_THROW(wait_for_all(), heist::usage_error);
      refused.count_down();
      heist::fork_join([&] { s.spawn([&] { ++called; }); },
                       [&] { heist::fork_join([] {}, [] {}); });
    });
    wait_for_all();
  }
  heist::spawn_kind kind = heist::spawn_kind::continuation;
};

// Its children may not wait for it, nor may what it forks, as long as there is something to wait
// for.
struct refusing_task : counted_task {
  using counted_task::counted_task;
  struct impatient : counted_task {
    using counted_task::counted_task;
    void execute() override {
      ++called;
      EXPECT_THROW(parent()->wait_for_all(), heist::usage_error);
    }
  };
  void execute() override {
    impatient a(called);
    impatient b(called);
    spawn(a);
    heist::fork_join([&] { EXPECT_THROW(wait_for_all(), heist::usage_error); }, [] {});
    spawn(b);
    wait_for_all();
    wait_for_all();  // for nothing
    heist::fork_join([&] { wait_for_all(); }, [] {});
  }
};

TEST_P(LeftWork, OfTaskObjectsIsNobodyElses) {
  if (is_serial()) GTEST_SKIP() << "a task's children are called, and nothing is left";
  if (GetParam().workers > 1) GTEST_SKIP() << "thieves may have run all of it before the fork";
  std::atomic<int> called{0};
  refusing_task root(called);
  heist::run_task(pool_, root);
  EXPECT_EQ(called, 2);
}

// A task that runs in itself has children in both runs; each run knows its own.
struct self_running_task : counted_task {
  self_running_task(std::atomic<int>& n, int levels) : counted_task(n), depth(levels) {}
  void execute() override {
    if (depth == 0) return;
    --depth;
    std::vector<counted_task> children(20, counted_task(called));
    thrower last(called);
    for (counted_task& c : children) spawn(c);
    spawn(last);
    heist::run_task(*this);
    EXPECT_THROW(wait_for_all(), std::runtime_error);
  }
  struct thrower : counted_task {
    using counted_task::counted_task;
    void execute() override { throw std::runtime_error("of this run"); }
  };
  int depth;
};

TEST_P(LeftWork, OfATaskThatRunsInItselfIsToldApart) {
  std::atomic<int> called{0};
  for (int round = 0; round < rounds; ++round) {
    self_running_task root(called, 5);
    heist::run_task(pool_, root);
  }
  EXPECT_EQ(called, 5 * 20 * rounds);
}

TEST_P(LeftWork, OfTaskObjectsIsKeptByScopes) {
  if (is_serial()) GTEST_SKIP() << "a task's children are called, and nothing is left";
  std::atomic<int> called{0};
  for (int round = 0; round < rounds; ++round) {
    scoped_task root(called);
    root.kind = GetParam().scopes;
    heist::run_task(pool_, root);
  }
  EXPECT_EQ(called, 3 * rounds);
}

}  // namespace
}  // namespace heist_test
