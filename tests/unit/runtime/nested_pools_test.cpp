// Pools inside pools: a worker that runs a function in another pool suspends its fiber, and leaves
// its open forks to the other workers.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

struct setting {
  unsigned workers;
  heist::join_kind join;
  heist::deque_kind deque;
};

std::string name_of(const testing::TestParamInfo<setting>& p) {
  return std::to_string(p.param.workers) +
         (p.param.join == heist::join_kind::greedy ? "Greedy" : "Stalling") + "_" +
         std::string(to_string(p.param.deque));
}

class NestedPools : public testing::TestWithParam<setting> {
 protected:
  static heist::pool_config config() {
    return {.workers = GetParam().workers, .deque = GetParam().deque, .join = GetParam().join};
  }
  heist::pool a_{config()};
  heist::pool b_{config()};
  const watchdog guard_{"nested pools"};
};

TEST_P(NestedPools, ForksThatAreOpenMeanwhileRunOnce) {
  for (int round = 0; round < scaled(300); ++round) {
    std::array<std::atomic<int>, 4> ran{};
    const auto count = [&ran](std::size_t i) {
      return [&ran, i] { ran[i].fetch_add(1, std::memory_order_relaxed); };
    };
    const int answer = a_.run([&] {
      const auto [deep, ignored] = heist::fork_join(
          [&] {
            const auto [deeper, ignored_too] = heist::fork_join(
                [&] {
                  return b_.run(
                      [&] { return std::get<0>(heist::fork_join([] { return 42; }, count(0))); });
                },
                count(1));
            count(2)();
            return deeper;
          },
          count(3));
      return deep;
    });
    EXPECT_EQ(answer, 42);
    for (const auto& n : ran) ASSERT_EQ(n.load(std::memory_order_relaxed), 1);
  }
}

// Pool a runs b, which runs a, and so on, with one worker each: neither worker may wait for the
// other.
int back_and_forth(heist::pool& here, heist::pool& there, int depth) {
  if (depth == 0) return 0;
  const auto [x, y] = heist::fork_join(
      [&] { return there.run([&] { return back_and_forth(there, here, depth - 1) + 1; }); },
      [&] { return there.run([&] { return back_and_forth(there, here, depth - 1) + 1; }); });
  return x + y;
}

TEST_P(NestedPools, MutualRecursionComesToItsEnd) {
  const int depth = tsan || emulated ? 4 : 8;
  const int expected = (1 << (depth + 1)) - 2;
  for (int round = 0; round < scaled(10); ++round) {
    EXPECT_EQ(a_.run([&] { return back_and_forth(a_, b_, depth); }), expected);
  }
}

TEST_P(NestedPools, ExceptionsCrossBothPools) {
  for (int round = 0; round < scaled(100); ++round) {
    try {
      a_.run([&] {
        heist::fork_join([&] { b_.run([] { heist::fork_join([] {}, [] { throw 5; }); }); },
                         [] { throw 6; });
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (int thrown) {
      EXPECT_EQ(thrown, 5);
    }
  }
}

// The inner pool's worker that resumes the outer fiber may be slower than everything that follows,
// including the end of the outer pool.
TEST_P(NestedPools, TheOuterPoolMayEndFirst) {
  for (int round = 0; round < scaled(500); ++round) {
    heist::pool outer(config());
    EXPECT_EQ(outer.run([&] { return b_.run([] { return 3; }); }), 3);
  }
}

TEST_P(NestedPools, TheInnerPoolMayEndFirst) {
  for (int round = 0; round < scaled(500); ++round) {
    auto inner = std::make_unique<heist::pool>(config());
    EXPECT_EQ(a_.run([&] {
      const int answer = inner->run([] { return 4; });
      inner.reset();
      return answer;
    }),
              4);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, NestedPools,
    testing::Values(setting{1, heist::join_kind::greedy, heist::deque_kind::split},
                    setting{1, heist::join_kind::stalling, heist::deque_kind::split},
                    setting{1, heist::join_kind::greedy, heist::deque_kind::locked},
                    setting{2, heist::join_kind::greedy, heist::deque_kind::split},
                    setting{3, heist::join_kind::stalling, heist::deque_kind::split},
                    setting{3, heist::join_kind::greedy, heist::deque_kind::locked},
                    setting{3, heist::join_kind::stalling, heist::deque_kind::locked},
                    setting{2, heist::join_kind::greedy, heist::deque_kind::bounded_ring},
                    setting{2, heist::join_kind::stalling, heist::deque_kind::abp},
                    setting{3, heist::join_kind::greedy, heist::deque_kind::chase_lev},
                    setting{3, heist::join_kind::stalling, heist::deque_kind::multi_steal},
                    setting{3, heist::join_kind::greedy, heist::deque_kind::steal_half}),
    name_of);

}  // namespace
}  // namespace heist_test
