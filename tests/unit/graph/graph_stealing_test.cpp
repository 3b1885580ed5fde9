// Task graphs whose ready nodes lie on the workers' deques: what finds no place there, functions
// that wait, many edges to one node, and graphs that several functions extend at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <string>
#include <vector>

#include "heist/reducer.hpp"
#include "heist/task_graph.hpp"
#include "tests/unit/sync/support.hpp"

namespace heist_test {
namespace {

using heist::task_graph;
using node = task_graph::node;

std::vector<setting> graph_pools() {
  std::vector<setting> all;
  for (const unsigned workers : {1U, 2U, 3U, 8U, 32U}) all.push_back({.workers = workers});
  all.push_back({.workers = 3, .join = heist::join_kind::stalling});
  all.push_back({.workers = 3, .deque = heist::deque_kind::locked});
  all.push_back({.workers = 3, .deque = heist::deque_kind::steal_half});
  all.push_back({.workers = 3, .deque = heist::deque_kind::shared_queue});
  return all;
}

class StolenGraphs : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, StolenGraphs, testing::ValuesIn(graph_pools()), name_of);

// More nodes become ready at once than a deque holds.
TEST_P(StolenGraphs, ManyReadyAtOnce) {
  const int n = scaled(20'000);
  task_graph g;
  std::vector<int> runs(static_cast<std::size_t>(n), 0);  // not atomic: edges order the accesses
  const node first = g.add([] {});
  int sum = 0;
  std::vector<node> middle;
  for (int& r : runs) {
    middle.push_back(g.add([&r] { ++r; }));
    g.edge(first, middle.back());
  }
  const node last = g.add([&] {
    sum = 0;
    for (const int r : runs) sum += r;
  });
  for (const node m : middle) g.edge(m, last);
  for (int round = 1; round <= 5; ++round) {
    EXPECT_EQ(g.run(pool_).done, static_cast<std::size_t>(n) + 2);
    ASSERT_EQ(sum, round * n);
  }
}

TEST_P(StolenGraphs, WithoutEdgesAndWithEdgesTwice) {
  const int n = scaled(10'000);
  task_graph loose;
  std::vector<std::atomic<int>> ran(static_cast<std::size_t>(n));
  for (auto& r : ran) loose.add([&r] { ++r; });
  EXPECT_EQ(loose.run(pool_).done, ran.size());
  for (const auto& r : ran) ASSERT_EQ(r.load(), 1);
  task_graph chain;
  std::vector<int> order;
  std::vector<node> nodes;
  for (int i = 0; i < 200; ++i) {
    nodes.push_back(chain.add([&order, i] { order.push_back(i); }));
    if (i == 0) continue;
    for (int times = 0; times <= i % 3; ++times)
      chain.edge(nodes[static_cast<std::size_t>(i) - 1], nodes.back());
  }
  EXPECT_EQ(chain.run(pool_).done, 200U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(order.size(), 200U);
}

// The functions fork and wait, and so move to other workers, with ready nodes below them.
TEST_P(StolenGraphs, FunctionsForkAndWaitForEachOther) {
  const int rounds = scaled(20);
  for (int round = 0; round < rounds; ++round) {
    task_graph g;
    std::atomic<int> ran{0};
    heist::mutex lock;
    long guarded = 0;
    std::vector<node> nodes;
    std::mt19937 random(static_cast<unsigned>(round));
    for (unsigned i = 0; i < 120; ++i) {
      nodes.push_back(g.add([&, i] {
        if (i % 3 == 0)
          heist::fork_join([&] { ++ran; }, [&] { linger(std::chrono::microseconds(3)); });
        if (i % 3 == 1) {
          const std::lock_guard hold(lock);
          ++guarded;
          heist::fork_join([] {}, [] { linger(std::chrono::microseconds(2)); });
        }
        ++ran;
      }));
      if (i >= 4) g.edge(nodes[random() % i], nodes.back());
    }
    ASSERT_EQ(g.run(pool_).done, 120U);
    ASSERT_EQ(ran.load(), 160);
    ASSERT_EQ(guarded, 40);
  }
}

// The caller's reducers aren't touched by what the functions do with their own.
TEST_P(StolenGraphs, FunctionsMayHaveReducersOfTheirOwn) {
  const int n = scaled(300);
  for (int round = 0; round < 5; ++round) {
    task_graph g;
    std::atomic<long> total{0};
    std::vector<node> nodes;
    for (int i = 0; i < n; ++i) {
      nodes.push_back(g.add([&total, i] {
        heist::reducer<long> mine;
        heist::fork_join([&] { *mine += i; }, [&] { *mine += 1; });
        total += mine.take();
      }));
      if (i > 20) g.edge(nodes[static_cast<std::size_t>(i) / 2], nodes.back());
    }
    pool_.run([&] {
      heist::reducer<long> outer;
      *outer += 7;
      g.run(pool_);
      *outer += 8;
      EXPECT_EQ(outer.get(), 15);
    });
    EXPECT_EQ(total.load(), static_cast<long>(n) * (n - 1) / 2 + n);
  }
}

// Several functions add nodes and edges at once, also edges between nodes that others have added.
TEST_P(StolenGraphs, SeveralFunctionsExtendItAtOnce) {
  const int rounds = scaled(40);
  task_graph g;
  std::atomic<int> ran{0};
  std::atomic<int> refused{0};
  const node gate = g.add([] {});
  const node end = g.add([&ran] { ++ran; });
  for (int i = 0; i < 16; ++i) {
    const node grows = g.add([&, i](task_graph::running& r) {
      node before = r.add([&ran] { ++ran; });
      for (int k = 0; k < 20; ++k) {
        const node after = r.add([&ran] { ++ran; });
        r.edge(before, after);
        if ((i + k) % 4 == 0) r.edge(after, end);
        before = after;
      }
      try {
        r.edge(before, gate);
      } catch (const heist::usage_error&) {
        ++refused;
      }
    });
    g.edge(gate, grows);
    g.edge(grows, end);
  }
  for (int round = 1; round <= rounds; ++round) {
    ran = 0;
    ASSERT_EQ(g.run(pool_).done, 16U * 22 + 2);
    ASSERT_EQ(ran.load(), 16 * 21 + 1);
    ASSERT_EQ(refused.load(), round * 16);
    ASSERT_EQ(g.state(end), heist::node_state::done);
  }
}

// Each function lasts until as many have begun as there are workers.
TEST_P(StolenGraphs, ReadyNodesReachAllWorkers) {
  if (is_serial()) GTEST_SKIP() << "there is one worker";
  const auto workers = static_cast<int>(pool_.workers());
  for (int round = 0; round < scaled(10); ++round) {
    task_graph g;
    std::atomic<int> begun{0};
    const node first = g.add([] {});
    for (int i = 0; i < workers; ++i)
      g.edge(first, g.add([&] {
        ++begun;
        EXPECT_TRUE(eventually([&] { return begun.load() == workers; }));
      }));
    g.run(pool_);
    ASSERT_EQ(begun.load(), workers);
  }
}

}  // namespace
}  // namespace heist_test
