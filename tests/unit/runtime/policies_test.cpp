// Every combination of policies gives the same answers, and each join keeps or changes the thread
// as promised.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <tuple>

#include "heist/heist.hpp"
#include "platform/thread.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::deque_kind;
using heist::idle_kind;
using heist::join_kind;
using heist::victim_kind;

using combination = std::tuple<deque_kind, join_kind, victim_kind, idle_kind, unsigned>;

class Policies : public testing::TestWithParam<combination> {};

TEST_P(Policies, GiveTheRightResult) {
  const auto [deque, join, victim, idle, workers] = GetParam();
  const watchdog guard("policies");
  heist::pool pool(
      {.workers = workers, .deque = deque, .join = join, .victim = victim, .idle = idle});
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(pool.run([] { return fib(emulated ? 10 : 15); }), emulated ? 55 : 610);
  }
  // This ends only if it is stolen.
  if (workers > 1) {
    pool.run([] {
      signal_flag begun;
      heist::fork_join([&] { EXPECT_TRUE(begun.wait()); }, [&] { begun.raise(); });
    });
    EXPECT_GT(pool.stats().total.steals, 0U);
  }
}

std::string combination_name(const testing::TestParamInfo<combination>& p) {
  const auto [deque, join, victim, idle, workers] = p.param;
  return std::string(to_string(deque)) + "_" + std::string(to_string(join)) + "_" +
         std::string(to_string(victim)) + "_" + std::string(to_string(idle)) + "_" +
         std::to_string(workers);
}

INSTANTIATE_TEST_SUITE_P(
    All, Policies,
    testing::Combine(testing::Values(deque_kind::split, deque_kind::locked),
                     testing::Values(join_kind::greedy, join_kind::stalling),
                     testing::Values(victim_kind::random, victim_kind::last, victim_kind::nearest),
                     testing::Values(idle_kind::park, idle_kind::yield, idle_kind::spin),
                     testing::Values(1U, 2U, 3U, 8U)),
    combination_name);

INSTANTIATE_TEST_SUITE_P(OtherDeques, Policies,
                         testing::Combine(testing::Values(deque_kind::bounded_ring, deque_kind::abp,
                                                          deque_kind::chase_lev,
                                                          deque_kind::multi_steal,
                                                          deque_kind::steal_half),
                                          testing::Values(join_kind::greedy, join_kind::stalling),
                                          testing::Values(victim_kind::random),
                                          testing::Values(idle_kind::park, idle_kind::spin),
                                          testing::Values(1U, 2U, 8U)),
                         combination_name);

// This is not inlined, and the number comes from the system: see platform/context.hpp.
[[gnu::noinline]] pid_t this_thread() { return heist::platform::thread_id(); }

// Makes a join whose job is stolen and has not ended; returns true if the thread changed.
bool changes_thread() {
  signal_flag begun;
  signal_flag first_ended;
  const pid_t before = this_thread();
  heist::fork_join(
      [&] {
        EXPECT_TRUE(begun.wait());
        first_ended.raise();
      },
      [&] {
        begun.raise();
        EXPECT_TRUE(first_ended.wait());
        linger(std::chrono::microseconds(200));
      });
  return this_thread() != before;
}

TEST(Joins, StallingOnesKeepTheThread) {
  const watchdog guard("stalling joins");
  for (const unsigned workers : {2U, 3U, 8U}) {
    heist::pool pool({.workers = workers, .join = join_kind::stalling});
    for (int round = 0; round < scaled(300); ++round) {
      ASSERT_FALSE(pool.run([] { return changes_thread(); }));
    }
    EXPECT_GT(pool.stats().total.suspends, 0U);
  }
}

TEST(Joins, StallingOnesKeepItInDeepRecursionsToo) {
  const watchdog guard("stalling recursion");
  struct walker {
    static int walk(int depth) {
      if (depth == 0) {
        linger(std::chrono::microseconds(20));
        return 0;
      }
      const pid_t before = this_thread();
      const auto [a, b] =
          heist::fork_join([=] { return walk(depth - 1); }, [=] { return walk(depth - 1); });
      return a + b + (this_thread() != before ? 1 : 0);
    }
  };
  heist::pool pool({.workers = 4, .join = join_kind::stalling});
  for (int round = 0; round < scaled(20); ++round) {
    ASSERT_EQ(pool.run([] { return walker::walk(5); }), 0);
  }
}

TEST(Joins, GreedyOnesMayChangeIt) {
  const watchdog guard("greedy joins");
  heist::pool pool({.workers = 2, .join = join_kind::greedy});
  int changes = 0;
  while (changes < 20) changes += pool.run([] { return changes_thread(); }) ? 1 : 0;
  EXPECT_GE(pool.stats().total.suspends, 20U);
}

// ---- HEIST_CHECK=moves: joins move, results and exceptions stay those of a serial run.

// The variable is read when a pool is made.
class Moves : public testing::TestWithParam<unsigned> {
 protected:
  Moves() { ::setenv("HEIST_CHECK", "moves", 1); }
  ~Moves() override {
    if (before_.empty())
      ::unsetenv("HEIST_CHECK");
    else
      ::setenv("HEIST_CHECK", before_.c_str(), 1);
  }

 private:
  const char* const set_ = std::getenv("HEIST_CHECK");
  const std::string before_ = set_ == nullptr ? "" : set_;
};

struct join_counts {
  std::atomic<long> all{0};
  std::atomic<long> moved{0};
};

template <class F, class G>
auto counted_join(join_counts& count, F f, G g) {
  const int before = heist::this_worker::index();
  auto results = heist::fork_join(f, g);
  ++count.all;
  if (heist::this_worker::index() != before) ++count.moved;
  return results;
}

long counted_fib(join_counts& count, int n) {
  if (n < 2) return n;
  const auto [a, b] = counted_join(
      count, [&count, n] { return counted_fib(count, n - 1); },
      [&count, n] { return counted_fib(count, n - 2); });
  return a + b;
}

// Without the check, less than one join in a hundred moves in either test.
TEST_P(Moves, AJoinWhoseOtherHalfAnIdleWorkerCanTake) {
  heist::pool pool({.workers = GetParam()});
  join_counts count;
  pool.run([&] {
    for (int i = 0; i < 200; ++i) {
      const auto [a, b] = counted_join(
          count, [i] { return i; }, [i] { return 2 * i; });
      EXPECT_EQ(a + b, 3 * i);
    }
  });
  EXPECT_GT(count.moved, count.all / 10);
}

TEST_P(Moves, AJoinWhileAllWorkersAreBusy) {
  heist::pool pool({.workers = GetParam()});
  join_counts count;
  EXPECT_EQ(pool.run([&] { return counted_fib(count, 16); }), 987);
  EXPECT_GT(count.moved, count.all / 40);
}

TEST_P(Moves, ScopesLoopsAndExceptionsAreRight) {
  heist::pool pool({.workers = GetParam()});
  pool.run([] {
    std::atomic<int> ran{0};
    heist::scope([&](heist::task_scope& s) {
      for (int i = 0; i < 50; ++i)
        s.spawn([&] { heist::fork_join([&] { ++ran; }, [&] { ++ran; }); });
    });
    heist::parallel_for(0, 100, [&](int) { ++ran; });
    EXPECT_EQ(ran, 200);
    EXPECT_THROW(heist::fork_join([] { throw std::runtime_error("expected"); }, [] {}),
                 std::runtime_error);
    EXPECT_THROW(heist::fork_join([] {}, [] { throw std::runtime_error("expected"); }),
                 std::runtime_error);
  });
}

INSTANTIATE_TEST_SUITE_P(Workers, Moves, testing::Values(2U, 3U, 8U),
                         testing::PrintToStringParamName());

TEST(MovesOnOneWorker, ResultsAreRight) {
  ::setenv("HEIST_CHECK", "moves", 1);
  heist::pool pool({.workers = 1});
  ::unsetenv("HEIST_CHECK");
  join_counts count;
  EXPECT_EQ(pool.run([&] { return counted_fib(count, 12); }), 144);
}

}  // namespace
}  // namespace heist_test
