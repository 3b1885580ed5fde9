// Random trees of forks with leaves of random length: every node runs once, on any number of
// workers, with any policy, under any load of the machine.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "heist/heist.hpp"
#include "tests/stress/budget.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using clock = std::chrono::steady_clock;

// How long each test runs.
clock::duration usual_budget() { return time_budget(std::chrono::milliseconds(400)); }

// A hash, so that each node's shape depends only on its name.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E37'79B9'7F4A'7C15ULL;
  x = (x ^ x >> 30) * 0xBF58'476D'1CE4'E5B9ULL;
  x = (x ^ x >> 27) * 0x94D0'49BB'1331'11EBULL;
  return x ^ x >> 31;
}

struct thrown_at {
  std::uint64_t node;
};

struct answer {
  std::uint64_t nodes = 0;
  std::uint64_t sum = 0;
  friend bool operator==(const answer&, const answer&) = default;
};
answer operator+(const answer& a, const answer& b) { return {a.nodes + b.nodes, a.sum + b.sum}; }

// One tree. Forker is the parallel fork_join or its serial twin.
template <class Forker>
class tree {
 public:
  tree(std::uint64_t seed, std::atomic<std::uint64_t>& runs, bool faulty)
      : seed_(seed), runs_(runs), faulty_(faulty) {}

  answer walk(std::uint64_t node, int depth) const {
    runs_.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t h = mixed(seed_ ^ mixed(node));
    if (faulty_ && h % 61 == 0) throw thrown_at{node};
    if (depth <= 0 || h % 11 == 0) return leaf(node, h);
    const auto child = [this, node, depth](std::uint64_t i, int less) {
      return [this, node, depth, i, less] { return walk(mixed(node) + i, depth - less); };
    };
    // The tree is deliberately lopsided: the second child is the deeper one in half of the nodes.
    const int skew = static_cast<int>(h >> 8 & 3);
    const answer here{1, mixed(h)};
    if ((h >> 16 & 7) == 0) {
      const auto [a, b, c] = Forker::call(child(1, 1), child(2, 2 + skew), child(3, 3));
      return a + b + c + here;
    }
    const bool left = (h >> 20 & 1) != 0;
    const auto [a, b] = Forker::call(child(1, left ? 1 : 1 + skew), child(2, left ? 1 + skew : 1));
    return a + b + here;
  }

 private:
  static answer leaf(std::uint64_t node, std::uint64_t h) {
    // Most leaves are short, some are so long that thieves lose patience, and a few yield the
    // processor.
    const std::uint64_t turns = h % 97 == 0 ? 20'000 : h % 50;
    for (std::uint64_t i = 0; i < turns; ++i) asm volatile("");
    if (h % 211 == 0) sched_yield();
    return {1, mixed(node ^ h)};
  }

  std::uint64_t seed_;
  std::atomic<std::uint64_t>& runs_;
  bool faulty_;
};

struct parallel {
  template <class... F>
  static auto call(F&&... f) {
    return heist::fork_join(std::forward<F>(f)...);
  }
};
struct serial {
  template <class... F>
  static std::tuple<std::invoke_result_t<F>...> call(F&&... f) {
    return std::tuple<std::invoke_result_t<F>...>{f()...};
  }
};

constexpr int tree_depth = emulated ? 9 : tsan ? 11 : 14;

// Compares one tree in the pool with the same tree as calls.
void check_tree(heist::pool& pool, std::uint64_t seed) {
  std::atomic<std::uint64_t> wanted_runs{0};
  std::atomic<std::uint64_t> runs{0};
  const answer wanted = tree<serial>(seed, wanted_runs, false).walk(seed, tree_depth);
  const answer got =
      pool.run([&] { return tree<parallel>(seed, runs, false).walk(seed, tree_depth); });
  ASSERT_EQ(got, wanted) << "tree " << seed;
  ASSERT_EQ(runs.load(std::memory_order_relaxed), wanted_runs.load(std::memory_order_relaxed))
      << "tree " << seed;
}

// In a tree in which some nodes throw, the exception is the one that the serial calls throw.
void check_faulty_tree(heist::pool& pool, std::uint64_t seed) {
  std::atomic<std::uint64_t> ignored{0};
  const auto outcome = [](auto&& body) -> std::uint64_t {
    try {
      return body().sum;
    } catch (const thrown_at& e) {
      return ~e.node;
    }
  };
  const auto wanted =
      outcome([&] { return tree<serial>(seed, ignored, true).walk(seed, tree_depth); });
  const auto got = outcome([&] {
    return pool.run([&] { return tree<parallel>(seed, ignored, true).walk(seed, tree_depth); });
  });
  ASSERT_EQ(got, wanted) << "faulty tree " << seed;
}

struct setting {
  unsigned workers;
  heist::deque_kind deque = heist::deque_kind::split;
  heist::join_kind join = heist::join_kind::greedy;
  std::size_t fork_depth = 0;
};

std::string name_of(const testing::TestParamInfo<setting>& p) {
  return std::to_string(p.param.workers) + "_" + std::string(to_string(p.param.deque)) + "_" +
         (p.param.join == heist::join_kind::greedy ? "Greedy" : "Stalling") +
         (p.param.fork_depth != 0 ? "Shallow" + std::to_string(p.param.fork_depth) : "");
}

class Trees : public testing::TestWithParam<setting> {
 protected:
  template <class Body>
  void repeat(Body&& body, bool in_turns = false) {
    const watchdog guard("trees, seed " + std::to_string(seed_));
    const auto end = clock::now() + usual_budget();
    for (std::uint64_t i = 0; i < 2 || clock::now() < end; ++i) {
      body(mixed(seed_ + i));
      if (HasFailure()) return;
    }
    check_conservation(in_turns);
  }

  // in_turns: calls give each other turns, and then what they have forked is left to the pool's
  // queue, which counts as no steal.
  void check_conservation(bool in_turns) {
    const auto all = pool_.stats().total;
    const auto offered = all.exposes + all.remote_exposes - all.reclaims;
    if (GetParam().deque == heist::deque_kind::split && in_turns) {
      EXPECT_LE(all.steals, offered);
    } else if (GetParam().deque == heist::deque_kind::split) {
      EXPECT_EQ(all.steals, offered);
    }
    if (!in_turns) {
      EXPECT_LE(all.suspends, all.steals + all.batched);
    }
    EXPECT_TRUE(eventually([&] { return pool_.stats().stacks_in_use == GetParam().workers; }));
  }

  const std::uint64_t seed_ = announced_seed();
  heist::pool pool_{{.workers = GetParam().workers,
                     .fork_depth = GetParam().fork_depth,
                     .deque = GetParam().deque,
                     .join = GetParam().join}};
};

TEST_P(Trees, EveryNodeRunsOnce) {
  repeat([&](std::uint64_t seed) { check_tree(pool_, seed); });
}

TEST_P(Trees, TheLeftmostExceptionIsThrown) {
  repeat([&](std::uint64_t seed) { check_faulty_tree(pool_, seed); });
}

TEST_P(Trees, ManyThreadsOutsideEachRunTheirOwn) {
  repeat(
      [&](std::uint64_t seed) {
        std::vector<std::thread> threads;
        for (std::uint64_t t = 0; t < 6; ++t)
          threads.emplace_back([&, t] {
            for (std::uint64_t i = 0; i < 3; ++i) check_tree(pool_, mixed(seed + 16 * t + i));
          });
        for (auto& thread : threads) thread.join();
      },
      true);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, Trees,
    testing::Values(setting{1}, setting{2}, setting{3}, setting{8}, setting{32},
                    setting{2, heist::deque_kind::split, heist::join_kind::stalling},
                    setting{8, heist::deque_kind::split, heist::join_kind::stalling},
                    setting{3, heist::deque_kind::locked},
                    setting{8, heist::deque_kind::locked, heist::join_kind::stalling},
                    setting{3, heist::deque_kind::bounded_ring},
                    setting{8, heist::deque_kind::bounded_ring, heist::join_kind::stalling},
                    setting{3, heist::deque_kind::abp},
                    setting{8, heist::deque_kind::abp, heist::join_kind::stalling},
                    setting{3, heist::deque_kind::chase_lev},
                    setting{8, heist::deque_kind::chase_lev, heist::join_kind::stalling},
                    setting{3, heist::deque_kind::multi_steal},
                    setting{8, heist::deque_kind::multi_steal, heist::join_kind::stalling},
                    setting{3, heist::deque_kind::steal_half},
                    setting{8, heist::deque_kind::steal_half, heist::join_kind::stalling},
                    setting{8, heist::deque_kind::abp, heist::join_kind::greedy, 2},
                    setting{8, heist::deque_kind::multi_steal, heist::join_kind::greedy, 4},
                    setting{3, heist::deque_kind::split, heist::join_kind::greedy, 1},
                    setting{8, heist::deque_kind::split, heist::join_kind::greedy, 2},
                    setting{8, heist::deque_kind::split, heist::join_kind::stalling, 4}),
    name_of);

// Beside threads that keep all processors busy, workers are preempted at every point.
class BesideOthers : public Trees {};

TEST_P(BesideOthers, EveryNodeRunsOnce) {
  std::atomic<bool> over{false};
  std::vector<std::thread> burners;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
    burners.emplace_back([&over] {
      while (!over.load(std::memory_order_relaxed)) {
      }
    });
  repeat([&](std::uint64_t seed) { check_tree(pool_, seed); });
  over.store(true, std::memory_order_relaxed);
  for (auto& thread : burners) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Settings, BesideOthers,
                         testing::Values(setting{2}, setting{8},
                                         setting{8, heist::deque_kind::split,
                                                 heist::join_kind::stalling}),
                         name_of);

// Submits roots of all kinds to pools that come and go, and from one pool to another.
TEST(PoolsUnderStress, NestedRunsInPoolsThatComeAndGo) {
  const std::uint64_t seed = announced_seed();
  const watchdog guard("pools that come and go, seed " + std::to_string(seed));
  heist::pool lasting({.workers = 3});
  const auto end = clock::now() + usual_budget();
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 3; ++t)
    threads.emplace_back([&lasting, seed, t, end] {
      std::mt19937_64 random(seed + t);
      do {
        heist::pool passing(
            {.workers = 1 + static_cast<unsigned>(random() % 3),
             .join = random() % 2 == 0 ? heist::join_kind::greedy : heist::join_kind::stalling});
        const std::uint64_t n = random() % 1000;
        const auto [a, b] = passing.run([&] {
          return heist::fork_join([&] { return lasting.run([n] { return n; }); },
                                  [&] {
                                    const auto [c, d] = heist::fork_join(
                                        [&] { return lasting.run([n] { return n + 1; }); },
                                        [n] { return n + 2; });
                                    return c + d;
                                  });
        });
        ASSERT_EQ(a + b, 3 * n + 3);
      } while (clock::now() < end);
    });
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace heist_test
