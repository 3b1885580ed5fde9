// Random DAGs: of the kind and size asked for, the same for the same seed.
#include "lab/dag/random_dag.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/dag/dag_json.hpp"

namespace {

using heist::lab::dag_to_json;
using heist::lab::explicit_dag;
using heist::lab::node_id;
using heist::lab::random_dag;
using heist::lab::strictness;

constexpr strictness all_kinds[] = {strictness::fully_strict, strictness::strict,
                                    strictness::general};

TEST(RandomDag, HasTheSizeAndIsAtLeastAsStrictAsAskedFor) {
  for (const auto kind : all_kinds)
    for (std::uint64_t size = 1; size <= 120; ++size) {
      const auto dag = random_dag(kind, size, size * 7);
      EXPECT_EQ(dag.work(), size);
      EXPECT_GE(dag.kind(), kind) << dag.name() << ": " << dag.why_not_strict();
    }
}

TEST(RandomDag, IsOfTheKindWhereThereIsRoomForIt) {
  for (const auto kind : all_kinds)
    for (std::uint64_t seed = 0; seed < 50; ++seed)
      EXPECT_EQ(random_dag(kind, 500, seed).kind(), kind) << seed;
}

TEST(RandomDag, TheSameSeedGivesTheSameAndOthersOthers) {
  for (const auto kind : all_kinds) {
    std::set<std::string> different;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      auto dag = dag_to_json(random_dag(kind, 100, seed));
      EXPECT_EQ(dag, dag_to_json(random_dag(kind, 100, seed)));
      dag.erase(0, dag.find("\"threads\""));  // the name says the seed
      different.insert(dag);
    }
    EXPECT_EQ(different.size(), 20U);
  }
}

TEST(RandomDag, ALargeOneIsMadeInReasonableTime) {
  const auto dag = random_dag(strictness::general, 300'000, 1);
  EXPECT_EQ(dag.work(), 300'000U);
  EXPECT_GT(dag.work() / dag.span(), 4U);  // parallelism
}

TEST(RandomDag, RefusesSizesThatThereAreNot) {
  EXPECT_THROW((void)random_dag(strictness::strict, 0, 1), heist::usage_error);
  EXPECT_THROW((void)random_dag(strictness::strict, explicit_dag::max_nodes + 1, 1),
               heist::usage_error);
}

// The measures once more, in the plainest way: by recursion over the edges, and over the parents.
TEST(RandomDag, MeasuresAgreeWithPlainRecursion) {
  for (const auto kind : all_kinds)
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto dag = random_dag(kind, 200, seed);
      std::vector<std::uint64_t> known(dag.node_count(), 0);
      const std::function<std::uint64_t(node_id)> height = [&](node_id v) {
        if (known[v] != 0) return known[v];
        std::uint64_t below = 0;
        dag.each_edge(v,
                      [&](const explicit_dag::edge& e) { below = std::max(below, height(e.to)); });
        return known[v] = below + 1;
      };
      EXPECT_EQ(dag.span(), height(0));
      std::uint64_t deepest = 0;
      for (heist::lab::thread_id t = 0; t < dag.thread_count(); ++t) {
        std::uint64_t sum = 0;
        for (auto at = t; at != heist::lab::no_id; at = dag.parent(at)) sum += dag.frame(at);
        deepest = std::max(deepest, sum);
      }
      EXPECT_EQ(dag.stack_depth(), deepest);
      const auto path = dag.critical_path();
      EXPECT_EQ(path.size(), dag.span());
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        bool joined = false;
        dag.each_edge(path[i], [&](const explicit_dag::edge& e) { joined |= e.to == path[i + 1]; });
        EXPECT_TRUE(joined);
      }
    }
}

// Every node but the first has an edge in, every one but the last an edge out, and nobody more than
// two.
TEST(RandomDag, HasOneRootOneFinalNodeAndOutDegreeTwo) {
  for (const auto kind : all_kinds)
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto dag = random_dag(kind, 150, seed);
      std::vector<std::uint32_t> in(dag.node_count(), 0);
      for (node_id v = 0; v < dag.node_count(); ++v) {
        std::uint32_t out = 0;
        dag.each_edge(v, [&](const explicit_dag::edge& e) {
          ++out;
          ++in[e.to];
        });
        EXPECT_LE(out, 2U);
        EXPECT_EQ(out == 0, v == dag.last(0));
      }
      for (node_id v = 0; v < dag.node_count(); ++v) {
        EXPECT_EQ(in[v], dag.in_degree(v));
        EXPECT_EQ(in[v] == 0, v == 0);
      }
    }
}

}  // namespace
