// Functions that wait by the thousand: what each holds, that all end where there are more than
// stacks, and that a pool gives the stacks back.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

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
  const int n = scaled(2000);
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

}  // namespace
}  // namespace heist_test
