// scope and spawn: order, joins, exceptions, and every way in which a spawner's continuation can be
// taken.
#include "heist/scope.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heist/detail/waiting.hpp"
#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::scope;
using heist::task_scope;
using heist::detail::wait_point;

struct setting {
  unsigned workers;
  heist::deque_kind deque = heist::deque_kind::split;
  heist::join_kind join = heist::join_kind::greedy;
  heist::spawn_kind spawn = heist::spawn_kind::continuation;
};

class Scopes : public testing::TestWithParam<setting> {
 protected:
  heist::pool pool_{{.workers = GetParam().workers,
                     .deque = GetParam().deque,
                     .join = GetParam().join,
                     .spawn = GetParam().spawn}};
  const bool children_ = GetParam().spawn == heist::spawn_kind::child ||
                         GetParam().join == heist::join_kind::stalling ||
                         GetParam().deque == heist::deque_kind::shared_queue;
  const watchdog guard_{"scopes"};
};

TEST(Scope, OneWorkerRunsInTheOrderOfTheProgram) {
  heist::pool pool{{.workers = 1}};
  std::string order;
  pool.run([&] {
    scope([&](task_scope& s) {
      order += "a";
      s.spawn([&] {
        order += "b";
        scope([&](task_scope& inner) {
          inner.spawn([&] { order += "c"; });
          order += "d";
        });
      });
      order += "e";
      s.spawn([&] { order += "f"; });
      s.sync();
      order += "g";
    });
    order += "h";
  });
  EXPECT_EQ(order, "abcdefgh");
}

TEST(Scope, ALoopOfSpawnsHoldsOneStackAndOneEntry) {
  heist::pool pool{{.workers = 1, .fork_depth = 4}};
  long long sum = 0;
  pool.run([&] {
    scope([&](task_scope& s) {
      for (long long i = 0; i < scaled(100000); ++i) s.spawn([&sum, i] { sum += i; });
    });
  });
  const long long n = scaled(100000);
  EXPECT_EQ(sum, n * (n - 1) / 2);
  EXPECT_LE(pool.stats().stacks_peak, 3U);
  EXPECT_EQ(pool.stats().total.inlined_forks, 0U);
}

TEST(Scope, ChildrenLeftOnTheDequeRunNewestFirstAndFillIt) {
  heist::pool pool{{.workers = 1, .fork_depth = 4}};
  std::string order;
  const auto note = [&order](char c) { return [&order, c] { order += c; }; };
  pool.run([&] {
    scope(heist::spawn_kind::child, [&](task_scope& s) {
      for (char c = 'a'; c < 'g'; ++c) s.spawn(note(c));  // three fit
      order += "-";
      heist::fork_join([&] { s.spawn(note('x')); },
                       note('y'));  // not in the scope's own function: a call
      s.sync();
      s.spawn(note('z'));
      order += "-";
    });
  });
  EXPECT_EQ(order, "def-xycba-z");
}

TEST(Scope, FromAThreadOutsideRunsInTheDefaultPool) {
  std::atomic<int> ran{0};
  const int answer = scope([&](task_scope& s) {
    EXPECT_GE(heist::this_worker::index(), 0);
    s.spawn([&] { ++ran; });
    return 42;
  });
  EXPECT_EQ(answer, 42);
  EXPECT_EQ(ran.load(), 1);
}

TEST(Scope, ClosuresAreMovedOrCopiedAndDestroyedOnce) {
  heist::pool pool{{.workers = 2}};
  const auto counted = std::make_shared<int>(7);
  pool.run([&] {
    for (int round = 0; round < scaled(1000); ++round) {
      scope([&](task_scope& s) {
        const auto lvalue = [counted] { EXPECT_EQ(*counted, 7); };
        s.spawn(lvalue);
        s.spawn([counted] { EXPECT_EQ(*counted, 7); });
        s.spawn([only = std::make_unique<int>(3)] { EXPECT_EQ(*only, 3); });
        std::array<long, 100> large{};
        large.back() = round;
        s.spawn([large, round] { EXPECT_EQ(large.back(), round); });
      });
    }
  });
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(Scope, GivesBackWhatItsFunctionReturns) {
  heist::pool pool{{.workers = 2}};
  int there = 1;
  int& reference = scope(pool, [&](task_scope&) -> int& { return there; });
  EXPECT_EQ(&reference, &there);
  const auto moved = scope(pool, [](task_scope&) { return std::make_unique<int>(5); });
  EXPECT_EQ(*moved, 5);
}

TEST_P(Scopes, EverySpawnRunsOnce) {
  static constexpr int n = tsan || asan ? 100 : 500;
  pool_.run([] {
    for (int round = 0; round < scaled(200); ++round) {
      std::vector<int> ran(n);
      scope([&](task_scope& s) {
        for (int& one : ran) s.spawn([&one] { ++one; });
      });
      ASSERT_EQ(std::accumulate(ran.begin(), ran.end(), 0), n);
    }
  });
}

long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  scope([&](task_scope& s) {
    s.spawn([&a, n] { a = fib(n - 1); });
    b = fib(n - 2);
  });
  return a + b;
}

TEST_P(Scopes, ARecursionOfThem) {
  EXPECT_EQ(pool_.run([] { return fib(tsan || asan ? 14 : 20); }), tsan || asan ? 377 : 6765);
}

// Forks, spawns into the current or a new scope, and waits, nested at random.
struct random_tree {
  std::atomic<long>& leaves;

  long grow(std::uint64_t seed, int depth, task_scope* outer) const {
    std::uint64_t r = seed * 0x9E3779B97F4A7C15u;
    r ^= r >> 29;
    const auto child = [&](std::uint64_t i) { return r * 31 + i; };
    if (depth == 0) {
      ++leaves;
      return 1;
    }
    switch (r % 5) {
      case 0: {
        const auto [a, b] = heist::fork_join([&] { return grow(child(0), depth - 1, outer); },
                                             [&] { return grow(child(1), depth - 1, outer); });
        return a + b;
      }
      case 1: {
        long a = 0;
        long b = 0;
        long c = 0;
        scope([&](task_scope& s) {
          s.spawn([&, this] { a = grow(child(0), depth - 1, &s); });
          s.spawn([&, this] { b = grow(child(1), depth - 1, nullptr); });
          c = grow(child(2), depth - 1, &s);
        });
        return a + b + c;
      }
      case 2:  // the scope outlives this function; the leaves are counted
        if (outer != nullptr)
          outer->spawn([*this, outer, next = child(0), depth] { grow(next, depth - 1, outer); });
        return grow(child(1), depth - 1, outer);
      case 3: {
        wait_point point;
        const auto [a, b] = heist::fork_join(
            [&] {
              point.wait();
              return grow(child(0), depth - 1, outer);
            },
            [&] {
              const long n = grow(child(1), depth - 1, outer);
              point.end();
              return n;
            });
        return a + b;
      }
      default: {
        long a = 0;
        scope([&](task_scope& s) {
          heist::fork_join([&] { s.spawn([&, this] { a = grow(child(0), depth - 1, &s); }); },
                           [&] { s.spawn([&, this] { grow(child(1), depth - 1, nullptr); }); });
        });
        return a;
      }
    }
  }
};

TEST_P(Scopes, RandomTreesOfForksSpawnsAndWaits) {
  heist::pool serial{{.workers = 1}};
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(scaled(40)); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::atomic<long> expected{0};
    std::atomic<long> leaves{0};
    const auto run = [seed](heist::pool& p, std::atomic<long>& count) {
      return p.run([&] {
        return scope(
            [&](task_scope& s) { return random_tree{count}.grow(seed, tsan || asan ? 7 : 9, &s); });
      });
    };
    const long answer = run(serial, expected);
    ASSERT_EQ(run(pool_, leaves), answer);
    ASSERT_EQ(leaves.load(), expected.load());
  }
}

// A join below a spawn whose spawner was stolen finds its job in the slots that the fiber used
// before.
TEST_P(Scopes, JoinsOfForksThatWereOpenWhenTheSpawnerWasStolen) {
  pool_.run([] {
    for (int round = 0; round < scaled(500); ++round) {
      std::atomic<int> ran{0};
      const auto [deep, one, two, three] = scope([&](task_scope& s) {
        return heist::fork_join(
            [&] {
              const auto [a, b] = heist::fork_join(
                  [&] {
                    for (int i = 0; i < 10; ++i) s.spawn([&] { ++ran; });
                    const auto [c, d] = heist::fork_join([] { return 1; }, [] { return 2; });
                    for (int i = 0; i < 10; ++i) s.spawn([&] { ++ran; });
                    return c + d;
                  },
                  [] { return 4; });
              return a + b;
            },
            [] { return 1; }, [] { return 2; }, [] { return 3; });
      });
      ASSERT_EQ(deep, 7);
      ASSERT_EQ(one + two + three, 6);
      ASSERT_EQ(ran.load(), 20);
    }
  });
}

TEST_P(Scopes, TheFirstSpawnedThatThrowsWins) {
  pool_.run([this] {
    for (int round = 0; round < scaled(300); ++round) {
      std::atomic<int> ended{0};
      std::atomic<int> begun{0};
      try {
        scope([&](task_scope& s) {
          for (int i = 0; i < 20; ++i) {
            s.spawn([&, i] {
              ++begun;
              if (i == 5 || i == 7) {
                ++ended;
                throw std::runtime_error(std::to_string(i));
              }
              ++ended;
            });
          }
          throw std::logic_error("the function's own comes after its children's");
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& e) {
        ASSERT_STREQ(e.what(), "5");
      }
      ASSERT_EQ(begun.load(), ended.load());
      ASSERT_GE(begun.load(), 6);
      if (children_) continue;
      if (pool_.workers() == 1) {
        ASSERT_EQ(begun.load(), 6);  // the later ones are not started
      }
    }
  });
}

TEST_P(Scopes, SyncThrowsAndTheScopeGoesOn) {
  pool_.run([] {
    int after = 0;
    scope([&](task_scope& s) {
      s.spawn([] { throw std::runtime_error("first"); });
      EXPECT_THROW(s.sync(), std::runtime_error);
      s.spawn([&] { after = 1; });
      s.sync();
      EXPECT_EQ(after, 1);
    });
    EXPECT_THROW(scope([](task_scope&) { throw std::logic_error("own"); }), std::logic_error);
  });
}

TEST_P(Scopes, SpawnInAHandlerAndJoinInOne) {
  pool_.run([this] {
    for (int round = 0; round < scaled(200); ++round) {
      try {
        throw round;
      } catch (int caught) {
        int seen = -1;
        scope([&](task_scope& s) {
          s.spawn([&] {
            EXPECT_TRUE(children_ || std::current_exception() == nullptr);
            try {
              throw std::runtime_error("inner");
            } catch (const std::runtime_error&) {
              seen = round;
            }
          });
          s.spawn([] {});
        });
        ASSERT_EQ(seen, caught);
        ASSERT_NE(std::current_exception(), nullptr);
      }
    }
  });
}

struct throws_when_moved {
  throws_when_moved() = default;
  throws_when_moved(const throws_when_moved&) {}
  throws_when_moved(throws_when_moved&&) { throw std::runtime_error("moved"); }
  void operator()() const {}
};

TEST_P(Scopes, AClosureThatCannotBeMovedToItsPlaceCountsAsThrown) {
  pool_.run([] {
    const throws_when_moved f;
    EXPECT_THROW(scope([&](task_scope& s) { s.spawn(f); }), std::runtime_error);
  });
}

TEST_P(Scopes, ChildrenThatWaitForEachOther) {
  pool_.run([] {
    for (int round = 0; round < scaled(200); ++round) {
      std::array<wait_point, 4> points;
      std::vector<int> order;
      scope([&](task_scope& s) {
        for (std::size_t i = 0; i + 1 < points.size(); ++i) {
          s.spawn([&, i] {
            points[i + 1].wait();
            order.push_back(static_cast<int>(i));
            points[i].end();
          });
        }
        points.back().end();
      });
      ASSERT_EQ(order, (std::vector<int>{2, 1, 0}));
    }
  });
}

TEST_P(Scopes, AChildThatRunsInAnotherPool) {
  heist::pool other{{.workers = 2}};
  pool_.run([&] {
    for (int round = 0; round < scaled(100); ++round) {
      int a = 0;
      std::atomic<int> b{0};
      scope([&](task_scope& s) {
        s.spawn([&] { a = other.run([] { return fib(5); }) == 5 ? 1 : 0; });
        s.spawn([&] { other.run([&] { s.spawn([&b] { ++b; }); }); });
        ASSERT_EQ(fib(5), 5);
      });
      ASSERT_EQ(a, 1);
      ASSERT_EQ(b.load(), 1);
    }
  });
}

TEST_P(Scopes, LeavesNoStacksBehind) {
  pool_.run([] { EXPECT_EQ(fib(15), 610); });
  const watchdog guard("stacks that don't come back");
  // There is one stack for each worker's loop.
  EXPECT_TRUE(eventually([this] { return pool_.stats().stacks_in_use <= pool_.workers(); }));
}

// A worker's count of spare stacks becomes wrong if children return in another order than they
// began; a worker that finds no work counts them again. A sleeping worker gives up its spares, so
// here none sleeps.
TEST(Scope, StacksInUseAreCountedRightInPoolsThatNeverSleep) {
  for (const heist::idle_kind idle : {heist::idle_kind::yield, heist::idle_kind::spin}) {
    heist::pool pool{{.workers = 4, .idle = idle}};
    for (int round = 0; round < scaled(60); ++round) {
      ASSERT_EQ(pool.run([] { return fib(tsan ? 10 : 14); }), tsan ? 55 : 377);
      ASSERT_TRUE(eventually([&] { return pool.stats().stacks_in_use == 4; }))
          << heist::describe_pools();
    }
  }
}

std::vector<setting> settings() {
  std::vector<setting> all;
  for (const unsigned workers : {1U, 2U, 3U, 8U, 32U}) all.push_back({workers});
  for (const heist::deque_kind kind : heist::all_deque_kinds)
    if (kind != heist::deque_kind::split) all.push_back({3, kind});
  for (const unsigned workers : {1U, 3U}) {
    all.push_back({workers, heist::deque_kind::split, heist::join_kind::stalling});
    all.push_back(
        {workers, heist::deque_kind::split, heist::join_kind::greedy, heist::spawn_kind::child});
  }
  all.push_back(
      {3, heist::deque_kind::chase_lev, heist::join_kind::greedy, heist::spawn_kind::child});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Pools, Scopes, testing::ValuesIn(settings()), [](const auto& p) {
  return std::to_string(p.param.workers) + "_" + std::string(to_string(p.param.deque)) +
         (p.param.join == heist::join_kind::stalling ? "_stalling" : "") +
         (p.param.spawn == heist::spawn_kind::child ? "_child" : "");
});

}  // namespace
}  // namespace heist_test
