// Recursion deeper than the deque runs as calls; recursion deeper than the stack ends with a
// message.
#include <gtest/gtest.h>

#include <string>

#include "heist/heist.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"

namespace heist_test {
namespace {

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
