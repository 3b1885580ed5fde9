// Task graphs: each function runs once, after all functions on which it depends; functions that
// cannot run are reported.
#include "heist/task_graph.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "heist/error.hpp"
#include "tests/unit/sync/support.hpp"

namespace heist_test {
namespace {

using heist::graph_order;
using heist::node_state;

class TaskGraphs : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, TaskGraphs, testing::ValuesIn(few_pools()), name_of);

constexpr std::array orders{graph_order::any, graph_order::priority, graph_order::longest_first,
                            graph_order::critical_path};

TEST_P(TaskGraphs, RandomOnesRunInAnOrderThatTheirEdgesAllow) {
  const int n = scaled(2000);
  std::mt19937 random(17);
  heist::task_graph g;
  std::vector<heist::task_graph::node> nodes;
  std::vector<std::array<int, 2>> depends;
  std::vector<int> runs(static_cast<std::size_t>(n), 0);  // not atomic: edges order the accesses
  for (int i = 0; i < n; ++i) {
    depends.push_back({i == 0 ? -1 : static_cast<int>(random() % static_cast<unsigned>(i)),
                       i == 0 ? -1 : static_cast<int>(random() % static_cast<unsigned>(i))});
    nodes.push_back(g.add(
        [&, i] {
          const auto me = static_cast<std::size_t>(i);
          for (const int d : depends[me]) {
            if (d < 0) continue;
            EXPECT_GT(runs[static_cast<std::size_t>(d)], runs[me]);
          }
          ++runs[me];
        },
        {.cost = static_cast<double>(random() % 9), .priority = static_cast<int>(random() % 5)}));
    for (const int d : depends.back())
      if (d >= 0) g.edge(nodes[static_cast<std::size_t>(d)], nodes.back());
  }
  int round = 0;
  for (const graph_order order : orders) {  // again and again
    EXPECT_EQ(g.run(pool_, {.order = order}).done, static_cast<std::size_t>(n));
    ++round;
    EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [&](int r) { return r == round; }));
  }
}

// With one worker the order is determined.
TEST(TaskGraphOrders, AreKeptByOneWorker) {
  heist::pool one({.workers = 1});
  std::string ran;
  heist::task_graph g;
  const auto add = [&](char c, double cost, int priority) {
    return g.add([&ran, c] { ran += c; }, {.cost = cost, .priority = priority});
  };
  const auto a = add('a', 2, 3);
  add('b', 5, 1);
  add('c', 3, 2);
  const auto d = add('d', 9, 9);
  g.edge(a, d);
  const auto run = [&](graph_order order) {
    ran.clear();
    g.run(one, {.order = order});
    return ran;
  };
  EXPECT_EQ(run(graph_order::priority), "adcb");
  EXPECT_EQ(run(graph_order::longest_first), "bcad");
  EXPECT_EQ(run(graph_order::critical_path), "adbc");
}

TEST_P(TaskGraphs, WhatDependsOnAnExceptionIsSkippedTheRestRuns) {
  heist::task_graph g;
  std::atomic<int> ran{0};
  const auto fine = [&] { ++ran; };
  const auto first = g.add(fine);
  const auto bad = g.add([] { throw std::runtime_error("first"); });
  const auto worse = g.add([] { throw std::runtime_error("second"); });
  const auto after_bad = g.add(fine);
  const auto much_later = g.add(fine);
  const auto beside = g.add(fine);
  g.edge(first, bad);
  g.edge(first, worse);
  g.edge(bad, after_bad);
  g.edge(after_bad, much_later);
  g.edge(beside, much_later);
  for (const graph_order order : orders) {
    ran = 0;
    try {
      g.run(pool_, {.order = order});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "first");
    }
    EXPECT_EQ(ran, 2);
    EXPECT_EQ(g.report().done, 2U);
    EXPECT_EQ(g.report().threw, 2U);
    EXPECT_EQ(g.report().skipped, 2U);
    EXPECT_EQ(g.state(much_later), node_state::skipped);
    EXPECT_EQ(g.state(worse), node_state::threw);
    EXPECT_EQ(g.state(beside), node_state::done);
  }
}

TEST_P(TaskGraphs, AStopSkipsWhatHasNotBegun) {
  heist::task_graph g;
  std::stop_source stop;
  std::atomic<int> ran{0};
  auto last = g.add([&] { stop.request_stop(); });
  for (int i = 0; i < 50; ++i) {
    const auto next = g.add([&] { ++ran; });
    g.edge(last, next);
    last = next;
  }
  const heist::graph_report r = g.run(pool_, {.stop = stop.get_token()});
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(r.done, 1U);
  EXPECT_EQ(r.skipped, 50U);
  EXPECT_EQ(g.run(pool_).done, 51U);
}

std::string complaint_of_run(heist::task_graph& g, heist::pool& pool) {
  try {
    g.run(pool);
  } catch (const heist::usage_error& e) {
    return e.what();
  }
  return "none";
}

TEST_P(TaskGraphs, ACycleIsNamedAndNothingRuns) {
  heist::task_graph g;
  std::atomic<int> ran{0};
  const auto node = [&](const char* name) { return g.add([&] { ++ran; }, {.name = name}); };
  const auto a = node("a");
  const auto b = node("b");
  const auto c = node("c");
  const auto d = node("d");
  const auto e = node("e");
  g.edge(a, b);
  g.edge(b, c);
  g.edge(c, d);
  g.edge(d, b);
  g.edge(d, e);
  const std::string what = complaint_of_run(g, pool_);
  EXPECT_TRUE(what.ends_with(": b -> c -> d -> b") || what.ends_with(": c -> d -> b -> c") ||
              what.ends_with(": d -> b -> c -> d"))
      << what;
  EXPECT_EQ(ran, 0);
  heist::task_graph itself;
  const auto x = itself.add([] {}, {.name = "x"});
  itself.edge(x, x);
  EXPECT_NE(complaint_of_run(itself, pool_).find("x -> x"), std::string::npos);
}

TEST_P(TaskGraphs, ItGrowsWhileItRuns) {
  using running = heist::task_graph::running;
  struct tree {
    std::atomic<int>& ran;
    int depth;
    void operator()(running& r) const {
      ++ran;
      if (depth == 0) return;
      r.add(tree{ran, depth - 1});
      r.add(tree{ran, depth - 1});
    }
  };
  std::atomic<int> ran{0};
  heist::task_graph g;
  std::vector<int> log;
  const auto root = g.add([&](running& r) {
    r.add(tree{ran, 6});
    const auto late = r.add([&] { log.push_back(2); });
    const auto early = r.add([&] { log.push_back(1); });
    r.edge(early, late);
  });
  const auto after = g.add([] {});
  g.edge(root, after);
  for (int round = 1; round < 4; ++round) {
    log.clear();
    ran = 0;
    EXPECT_EQ(g.run(pool_).done, 127U + 4U);
    EXPECT_EQ(ran, 127);
    EXPECT_EQ(log, (std::vector{1, 2}));
    EXPECT_EQ(g.size(), 131U);
  }
}

TEST_P(TaskGraphs, WhatARunningFunctionMustNotDo) {
  using running = heist::task_graph::running;
  heist::task_graph g;
  std::string begun;
  std::string changed;
  const auto first = g.add([] {}, {.name = "first"});
  const auto second = g.add([&](running& r) {
    const auto added = r.add([] {});
    try {
      r.edge(added, first);
    } catch (const heist::usage_error& e) {
      begun = e.what();
    }
    try {
      g.edge(first, first);
    } catch (const heist::usage_error& e) {
      changed = e.what();
    }
  });
  g.edge(first, second);
  g.run(pool_);
  EXPECT_NE(begun.find("edge to first"), std::string::npos);
  EXPECT_NE(changed.find("it runs"), std::string::npos);
}

TEST_P(TaskGraphs, ACycleThatGrewEndsTheRun) {
  using running = heist::task_graph::running;
  heist::task_graph g;
  g.add([](running& r) {
    const auto a = r.add([] {}, {.name = "a"});
    const auto b = r.add([] {}, {.name = "b"});
    r.edge(a, b);
    r.edge(b, a);
  });
  const std::string what = complaint_of_run(g, pool_);
  EXPECT_TRUE(what.ends_with("a -> b -> a") || what.ends_with("b -> a -> b")) << what;
}

TEST_P(TaskGraphs, ItIsDrawnWithTimes) {
  heist::task_graph g;
  const auto a = g.add([] {}, {.name = "a \"quoted\" name"});
  g.edge(a, g.add([] {}));
  EXPECT_EQ(g.dot().find(" us"), std::string::npos);
  g.run(pool_, {.measure = true});
  const std::string dot = g.dot();
  EXPECT_NE(dot.find("label=\"a \\\"quoted\\\" name\\n"), std::string::npos) << dot;
  EXPECT_NE(dot.find("n0 -> n1;"), std::string::npos);
  EXPECT_NE(dot.find(" us at "), std::string::npos);
}

TEST(TaskGraphsMisused, ANodeOfAnotherGraph) {
  heist::task_graph g;
  heist::task_graph other;
  const auto a = g.add([] {});
  const auto b = other.add([] {}, {.name = "b"});
  EXPECT_THROW(g.edge(a, b), heist::usage_error);
  EXPECT_EQ(g.run().done, 1U);  // in the default pool
}

}  // namespace
}  // namespace heist_test
