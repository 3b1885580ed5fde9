// Pushes that the deque refuses, mixed: forks and children of scopes that run in place, above one
// another, in slots that they share.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::scope;
using heist::spawn_kind;
using heist::task_scope;

constexpr std::size_t fork_depth = 64;

struct refused_setting {
  heist::deque_kind deque;
  heist::join_kind join;
  unsigned workers;
};

class RefusedChildren : public testing::TestWithParam<refused_setting> {
 protected:
  heist::pool pool_{{.workers = GetParam().workers,
                     .fork_depth = fork_depth,
                     .deque = GetParam().deque,
                     .join = GetParam().join,
                     .spawn = spawn_kind::child}};
  const watchdog guard_{"refused children"};
};

using count = std::atomic<long>;

// A child that the fork's first function pushes. The fork's own entry, refused too, lies below it.
void spawn_in_a_fork(count& ran) {
  const auto [first, second] = heist::fork_join(
      [&] {
        scope(spawn_kind::child, [&](task_scope& s) { s.spawn([&] { ++ran; }); });
        return 1;
      },
      [] { return 2; });
  ran += first + second;
}

TEST_P(RefusedChildren, LeaveTheForkBelowThemToItsJoin) {
  count ran{0};
  pool_.run([&] {
    for (int i = 0; i < 10; ++i) heist::with(heist::policy::serial, [&] { spawn_in_a_fork(ran); });
  });
  EXPECT_EQ(ran, 10 * 4);
}

TEST_P(RefusedChildren, RunInTheOrderOfTheProgramWhereEverythingIsACall) {
  const auto run = [] {
    std::vector<int> order;
    scope(spawn_kind::child, [&](task_scope& s) {
      for (int i = 0; i < 200; ++i) s.spawn([&order, i] { order.push_back(i); });
      order.push_back(200);
    });
    return order;
  };
  pool_.run([&] {
    for (int round = 0; round < scaled(20); ++round) {
      const std::vector<int> order = heist::with(heist::policy::serial, run);
      ASSERT_EQ(order.size(), 201U);
      ASSERT_TRUE(std::is_sorted(order.begin(), order.end()));
    }
  });
}

TEST_P(RefusedChildren, LeaveOpenForksOutsideToTheirJoins) {
  count ran{0};
  count outside{0};
  pool_.run([&] {
    for (int i = 0; i < scaled(20); ++i)
      heist::fork_join([&] { heist::with(heist::policy::serial, [&] { spawn_in_a_fork(ran); }); },
                       [&] { ++outside; }, [&] { ++outside; });
  });
  EXPECT_EQ(ran, scaled(20) * 4);
  EXPECT_EQ(outside, scaled(20) * 2);
}

// Forks inside of forks, with a scope at each level, to beyond the end of the deque.
void descend(int levels, count& children, count& seconds) {
  if (levels == 0) return;
  heist::fork_join(
      [&] {
        scope(spawn_kind::child, [&](task_scope& s) {
          s.spawn([&] { ++children; });
          s.spawn([&, levels] { descend(levels - 1, children, seconds); });
          s.spawn([&] { ++children; });
        });
      },
      [&] { ++seconds; });
}

TEST_P(RefusedChildren, BelowAFullDequeAreRunOnceAsAreTheForks) {
  constexpr int levels = 2 * fork_depth;
  for (int round = 0; round < scaled(20); ++round) {
    count children{0};
    count seconds{0};
    pool_.run([&] { descend(levels, children, seconds); });
    ASSERT_EQ(children, 2 * levels);
    ASSERT_EQ(seconds, levels);
  }
}

// A fork spawns into the scope around it, which makes the child a call; in that call, and in the
// scope's own function, others are pushed.
TEST_P(RefusedChildren, MeetSpawnsFromForks) {
  for (int round = 0; round < scaled(50); ++round) {
    count ran{0};
    const auto nest = [&] {
      scope([&](task_scope& s) {
        s.spawn([&] { spawn_in_a_fork(ran); });
        heist::fork_join([&] { s.spawn([&] { spawn_in_a_fork(ran); }); },
                         [&] {
                           for (int i = 0; i < 3; ++i) s.spawn([&] { spawn_in_a_fork(ran); });
                         });
        s.spawn([&] { spawn_in_a_fork(ran); });
      });
    };
    pool_.run([&] {
      nest();
      heist::with(heist::policy::serial, nest);
      heist::with(heist::policy::stalling, nest);
    });
    ASSERT_EQ(ran, 3 * 6 * 4);
  }
}

struct throws_when_moved {
  int moves_left;
  explicit throws_when_moved(int moves) : moves_left(moves) {}
  throws_when_moved(throws_when_moved&& other) : moves_left(other.moves_left - 1) {
    if (moves_left < 0) throw std::runtime_error("moved");
  }
  void operator()() const {}
};

// A spawn of the other kind, whose child throws on its own stack before its spawner's rest is
// pushed.
TEST_P(RefusedChildren, AreNotMarkedByASpawnThatThrowsBeforeItBegins) {
  heist::pool pool{
      {.workers = GetParam().workers, .deque = GetParam().deque, .join = GetParam().join}};
  count ran{0};
  pool.run([&] {
    for (int moves = 0; moves < 4; ++moves)
      heist::with(heist::policy::serial, [&] {
        heist::fork_join(
            [&] {
              try {
                scope([&](task_scope& s) { s.spawn(throws_when_moved(moves)); });
              } catch (const std::runtime_error&) {
              }
            },
            [&] { ++ran; });
      });
  });
  EXPECT_EQ(ran, 4);
}

std::vector<refused_setting> settings() {
  std::vector<refused_setting> all;
  for (const heist::deque_kind kind : heist::all_deque_kinds)
    for (const heist::join_kind join : {heist::join_kind::greedy, heist::join_kind::stalling})
      for (const unsigned workers : {1U, 4U}) all.push_back({kind, join, workers});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Pools, RefusedChildren, testing::ValuesIn(settings()), [](const auto& p) {
  return std::string(to_string(p.param.deque)) + "_" + std::string(to_string(p.param.join)) + "_" +
         std::to_string(p.param.workers);
});

// ---- Recursion deeper than the deque runs as calls; recursion deeper than the stack ends with a
// message.

// A comb: each level forks a leaf, and recurses in the first or in the second function.
long comb(int depth, bool left) {
  if (depth == 0) return 0;
  const auto down = [=] { return comb(depth - 1, left); };
  const auto leaf = [] { return 1L; };
  if (left) {
    const auto [a, b] = heist::fork_join(down, leaf);
    return a + b;
  }
  const auto [a, b] = heist::fork_join(leaf, down);
  return a + b;
}

struct setting {
  unsigned workers;
  std::size_t fork_depth;
  heist::deque_kind deque;
};

class ForkDepth : public testing::TestWithParam<setting> {
 protected:
  heist::pool pool_{{.workers = GetParam().workers,
                     .stack_size = std::size_t{32} << 20,
                     .fork_depth = GetParam().fork_depth,
                     .deque = GetParam().deque}};
  const watchdog guard_{"fork depth"};
};

TEST_P(ForkDepth, DeeperForksAreCalls) {
  const int depth = 2000;
  EXPECT_EQ(pool_.run([=] { return comb(depth, true); }), depth);
  const auto inlined = pool_.stats().total.inlined_forks;
  EXPECT_GT(inlined, 0U);
  if (GetParam().workers == 1) {
    EXPECT_EQ(inlined, static_cast<std::uint64_t>(depth) - GetParam().fork_depth);
  }
  EXPECT_EQ(pool_.run([=] { return comb(depth, false); }), depth);
}

TEST_P(ForkDepth, ATreeGivesTheRightResult) {
  for (int round = 0; round < scaled(20); ++round) {
    EXPECT_EQ(pool_.run([] { return fib(16); }), 987);
  }
  EXPECT_GT(pool_.stats().total.inlined_forks, 0U);
}

TEST_P(ForkDepth, ExceptionsPassThroughDeepFrames) {
  struct thrower {
    static void down(int depth) {
      if (depth == 0) throw 7;
      heist::fork_join([=] { down(depth - 1); }, [] {});
    }
  };
  try {
    pool_.run([] { thrower::down(20); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (int thrown) {
    EXPECT_EQ(thrown, 7);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, ForkDepth,
    testing::Values(
        setting{1, 1, heist::deque_kind::split}, setting{1, 2, heist::deque_kind::split},
        setting{1, 3, heist::deque_kind::locked}, setting{2, 1, heist::deque_kind::split},
        setting{2, 2, heist::deque_kind::split}, setting{3, 3, heist::deque_kind::split},
        setting{8, 1, heist::deque_kind::split}, setting{8, 2, heist::deque_kind::locked},
        setting{3, 1, heist::deque_kind::bounded_ring}, setting{3, 2, heist::deque_kind::abp},
        setting{3, 3, heist::deque_kind::chase_lev}, setting{8, 2, heist::deque_kind::multi_steal},
        setting{8, 3, heist::deque_kind::steal_half}),
    [](const auto& p) {
      return std::to_string(p.param.workers) + "Workers" + std::to_string(p.param.fork_depth) +
             "_" + std::string(to_string(p.param.deque));
    });

using DepthDeathTest = fresh_process;

// Touches the next part of the stack, so that it overflows here, and not in a sanitizer's function
// that holds a lock for which the handler would wait.
__attribute__((noinline, no_sanitize("thread"))) void touch_ahead() {
  char ahead[8192];
  ahead[0] = 1;
  asm volatile("" : : "r"(ahead) : "memory");  // otherwise compilers keep only one byte
}

[[gnu::noinline]] long endless(int depth) {
  touch_ahead();
  volatile char frame[512];
  frame[0] = 1;
  const auto [a, b] =
      heist::fork_join([=] { return depth < 0 ? 0L : endless(depth + 1); }, [] { return 1L; });
  return a + b + frame[0];
}

TEST_F(DepthDeathTest, DeeperThanTheStackNamesItsSizeAndTheRemedy) {
  const auto overflow = [](std::size_t stack_size) {
    ::alarm(60);
    heist::pool pool({.workers = 1, .stack_size = stack_size});
    pool.run([] { return endless(0); });
  };
  EXPECT_DEATH(overflow(64 << 10),
               "stack overflow.*64 KiB.*worker 0.*pool_config::stack_size or HEIST_STACK_SIZE");
  EXPECT_DEATH(overflow(1 << 20), "stack overflow.*1 MiB");
}

}  // namespace
}  // namespace heist_test
