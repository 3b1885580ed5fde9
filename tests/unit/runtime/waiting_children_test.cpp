// Functions that wait by the thousand: what each holds, that all end where there are more than
// stacks, and that a pool gives the stacks back.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "heist/detail/waiting.hpp"
#include "heist/heist.hpp"
#include "heist/work_span.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::task_scope;

// What children wait for; the spawner lets all of them go on.
struct gate {
  virtual ~gate() = default;
  virtual void pass() = 0;
  virtual void open(int children) = 0;
};

struct latch_gate : gate {
  heist::latch latch{1};
  void pass() override { latch.wait(); }
  void open(int /*children*/) override { latch.count_down(); }
};
struct semaphore_gate : gate {
  heist::counting_semaphore<> semaphore{0};
  void pass() override { semaphore.acquire(); }
  void open(int children) override { semaphore.release(children); }
};
struct mutex_gate : gate {
  heist::mutex mutex;
  mutex_gate() { mutex.lock(); }
  void pass() override {
    mutex.lock();
    mutex.unlock();
  }
  void open(int /*children*/) override { mutex.unlock(); }
};
struct condition_gate : gate {
  heist::mutex mutex;
  heist::condition_variable changed;
  bool is_open = false;
  void pass() override {
    std::unique_lock hold(mutex);
    changed.wait(hold, [this] { return is_open; });
  }
  void open(int /*children*/) override {
    {
      const std::lock_guard hold(mutex);
      is_open = true;
    }
    changed.notify_all();
  }
};
struct channel_gate : gate {
  heist::channel<int> channel{1};
  void pass() override { static_cast<void>(channel.receive()); }
  void open(int /*children*/) override { channel.close(); }
};
// The child's own children wait.
struct scope_gate : latch_gate {
  void pass() override {
    heist::scope([this](task_scope& s) { s.spawn([this] { latch.wait(); }); });
  }
};

template <class Gate>
std::unique_ptr<gate> make_gate() {
  return std::make_unique<Gate>();
}

struct kind {
  const char* name;
  std::unique_ptr<gate> (*make)();
  int stacks = 1;  // for each child
};

const kind kinds[] = {
    {"latch", &make_gate<latch_gate>},     {"semaphore", &make_gate<semaphore_gate>},
    {"mutex", &make_gate<mutex_gate>},     {"condition", &make_gate<condition_gate>},
    {"channel", &make_gate<channel_gate>}, {"scope", &make_gate<scope_gate>, 2}};

class WaitingChildren : public testing::TestWithParam<std::tuple<kind, unsigned>> {};

TEST_P(WaitingChildren, HoldAStackEach) {
  if (is_serial()) GTEST_SKIP() << "a serial program would wait for ever";
  const auto& [what, workers] = GetParam();
  const watchdog guard(what.name);
  heist::pool pool({.workers = workers});
  const int n = scaled(1000);
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> passed{0};
    std::uint64_t mapped = 0;
    pool.run([&, &kind = what] {
      const auto closed = kind.make();
      heist::scope([&](task_scope& s) {
        for (int i = 0; i < n; ++i)
          s.spawn([&] {
            closed->pass();
            ++passed;
          });
        mapped = pool.stats().stacks_mapped;
        closed->open(n);
      });
    });
    EXPECT_EQ(passed, n);
    // Besides, a worker has one for its loop, its spares, its reserve and those that it caches.
    EXPECT_LE(mapped, static_cast<std::uint64_t>(n * what.stacks) + std::uint64_t{40} * workers);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WaitingChildren,
                         testing::Combine(testing::ValuesIn(kinds),
                                          testing::Values(1U, 2U, 3U, 8U)),
                         [](const auto& of) {
                           return std::string(std::get<0>(of.param).name) + "_on_" +
                                  std::to_string(std::get<1>(of.param));
                         });

// Each child forks after its wait, in its own slots, and its spawner meanwhile in the ones that it
// has for itself again.
void fork_after_waits(const heist::pool_config& config) {
  const watchdog guard("forks after a wait");
  heist::pool pool(config);
  const std::function<int(int)> fib = [&](int n) -> int {
    if (n < 2) return n;
    const auto [a, b] = heist::fork_join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
    return a + b;
  };
  for (int round = 0; round < scaled(100); ++round) {
    std::atomic<int> sum{0};
    pool.run([&] {
      heist::latch go(1);
      heist::fork_join(
          [&] {
            heist::scope([&](task_scope& s) {
              for (int i = 0; i < 5; ++i)
                s.spawn([&] {
                  go.wait();
                  sum += fib(8);
                });
              sum += fib(9);
              s.sync();  // until the other side opens the latch
              for (int i = 0; i < 5; ++i) s.spawn([&] { sum += fib(8); });
            });
          },
          [&] {
            sum += fib(7);
            go.count_down();
          });
    });
    ASSERT_EQ(sum, 10 * 21 + 34 + 13) << to_string(config.deque);
  }
}

TEST(WaitingChild, ForksInItsOwnSlotsAfterwards) {
  if (is_serial()) GTEST_SKIP() << "a serial program would wait for ever";
  for (const unsigned workers : {1U, 2U, 3U, 8U}) fork_after_waits({.workers = workers});
  for (const heist::deque_kind kind : heist::all_deque_kinds)
    for (const unsigned workers : {1U, 3U}) fork_after_waits({.workers = workers, .deque = kind});
}

TEST(WaitingChild, ForksInItsOwnSlotsAfterwardsInAMeasuredPool) {
  if (is_serial()) GTEST_SKIP() << "a serial program would wait for ever";
  heist::start_work_span();
  for (const unsigned workers : {1U, 3U}) fork_after_waits({.workers = workers});
  static_cast<void>(heist::stop_work_span());
}

// The pieces of a reducer are put together in the order of the program.
TEST(WaitingChild, KeepsTheOrderOfReducers) {
  if (is_serial()) GTEST_SKIP() << "a serial program would wait for ever";
  for (const unsigned workers : {1U, 2U, 3U}) {
    const watchdog guard("reducers beside waits");
    heist::pool pool({.workers = workers});
    std::string text;
    pool.run([&] {
      heist::reducer<std::string> sum;
      heist::latch go(1);
      heist::scope([&](task_scope& s) {
        for (char c = 'a'; c <= 'z'; ++c) {
          s.spawn([&, c] {
            go.wait();
            sum.view() += c;
          });
          sum.view() += '-';
        }
        go.count_down();
      });
      text = sum.take();
    });
    std::string expected;
    for (char c = 'a'; c <= 'z'; ++c) expected += std::string(1, c) + '-';
    EXPECT_EQ(text, expected);
  }
}

TEST(WaitingChild, ThrowsToItsScope) {
  if (is_serial()) GTEST_SKIP() << "a serial program would wait for ever";
  for (const unsigned workers : {1U, 2U, 3U}) {
    heist::pool pool({.workers = workers});
    for (int round = 0; round < scaled(100); ++round)
      EXPECT_THROW(pool.run([&] {
        heist::latch go(1);
        heist::scope([&](task_scope& s) {
          for (int i = 0; i < 20; ++i)
            s.spawn([&, i] {
              go.wait();
              if (i == 7) throw i;
            });
          go.count_down();
        });
      }),
                   int);
  }
}

TEST(IdlePool, GivesItsStacksBack) {
  if (is_serial()) GTEST_SKIP() << "no function waits";
  heist::pool pool({.workers = 2});
  for (int round = 0; round < 2; ++round) {
    const int n = 500;
    pool.run([&] {
      heist::latch go(1);
      heist::scope([&](task_scope& s) {
        for (int i = 0; i < n; ++i) s.spawn([&] { go.wait(); });
        go.count_down();
      });
    });
    EXPECT_GE(pool.stats().stacks_mapped, 500U);
    EXPECT_TRUE(eventually([&] { return pool.stats().stacks_mapped <= 100; }))
        << pool.stats().stacks_mapped;
  }
}

// ---- Waits that are not joins: the fiber may have open forks, and the thread that ends the wait
// continues its own work.

using heist::detail::wait_point;

struct setting {
  unsigned workers;
  heist::deque_kind deque;
};

class Waits : public testing::TestWithParam<setting> {
 protected:
  heist::pool pool_{{.workers = GetParam().workers, .deque = GetParam().deque}};
  const watchdog guard_{"waits"};
};

TEST_P(Waits, OneForkWaitsForTheOtherWhicheverRunsFirst) {
  pool_.run([] {
    for (int round = 0; round < scaled(2000); ++round) {
      wait_point point;
      int value = 0;
      const auto [seen, ignored] = heist::fork_join(
          [&] {
            point.wait();  // on one worker the other half runs meanwhile
            return value;
          },
          [&] {
            value = round;
            point.end();
          });
      ASSERT_EQ(seen, round);
    }
  });
}

TEST_P(Waits, EndedBeforeIsNoWait) {
  pool_.run([] {
    wait_point point;
    point.end();
    point.wait();
  });
}

TEST_P(Waits, WhoeverEndsItGoesOn) {
  pool_.run([] {
    std::array<wait_point, 3> points;
    std::atomic<int> through{0};
    const auto waiter = [&](std::size_t i) {
      return [&points, &through, i] {
        points[i].wait();
        ++through;
      };
    };
    heist::fork_join(waiter(0), waiter(1), waiter(2), [&] {
      for (wait_point& p : points) p.end();
      ++through;
    });
    EXPECT_EQ(through.load(), 4);
  });
}

TEST_P(Waits, BetweenAWorkerAndAThreadOutside) {
  for (int round = 0; round < scaled(300); ++round) {
    wait_point to_worker;
    wait_point to_thread;
    int value = 0;
    std::thread outside([&] {
      to_thread.wait();
      ++value;
      to_worker.end();
    });
    const int seen = pool_.run([&] {
      value = 1;
      to_thread.end();
      to_worker.wait();
      return value;
    });
    outside.join();
    ASSERT_EQ(seen, 2);
  }
}

TEST_P(Waits, DeepInsideForksThatAreThenJoinedAsAfterASteal) {
  struct nest {
    static long sum(int depth, wait_point& point) {
      if (depth == 0) {
        point.wait();
        return 1;
      }
      const auto [deep, here] =
          heist::fork_join([&] { return sum(depth - 1, point); }, [depth] { return long{depth}; });
      return deep + here;
    }
  };
  pool_.run([] {
    for (int round = 0; round < scaled(200); ++round) {
      wait_point point;
      const auto [sum, ignored] =
          heist::fork_join([&] { return nest::sum(20, point); }, [&] { point.end(); });
      ASSERT_EQ(sum, 211);
    }
  });
}

std::vector<setting> settings() {
  std::vector<setting> all;
  for (const unsigned workers : {1U, 2U, 3U, 8U})
    all.push_back({workers, heist::deque_kind::split});
  for (const heist::deque_kind kind : heist::all_deque_kinds)
    if (kind != heist::deque_kind::split) all.push_back({3, kind});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Pools, Waits, testing::ValuesIn(settings()), [](const auto& p) {
  return std::to_string(p.param.workers) + "_" + std::string(to_string(p.param.deque));
});

}  // namespace
}  // namespace heist_test
