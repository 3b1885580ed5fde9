// Random DAGs: of the kind and size asked for, the same for the same seed. And DAGs that are made
// strict: each dependency still holds, on one thread or more.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/dag/dag_json.hpp"
#include "lab/dag/known_dags.hpp"
#include "lab/dag/make_strict.hpp"
#include "lab/dag/random_dag.hpp"
#include "lab/model/random.hpp"

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

using namespace heist::lab;

namespace {

// Threads of ten instructions that anything may join, as long as that comes later depth first.
// Names, so that an instruction is found again.
dag_source random_source(std::uint64_t seed) {
  constexpr std::uint32_t length = 10;
  rng random(seed);
  dag_source source;
  const auto threads = static_cast<thread_id>(random.between(2, 12));
  std::vector<std::vector<thread_id>> spawns(threads, std::vector<thread_id>(length, no_id));
  for (thread_id t = 0; t < threads; ++t) {
    dag_source::thread made{.name = "t" + std::to_string(t), .length = length, .names = {}};
    for (std::uint32_t i = 0; i < length; ++i)
      made.names.push_back(made.name + "i" + std::to_string(i));
    source.threads.push_back(made);
    if (t == 0) continue;
    for (;;) {
      const auto parent = static_cast<thread_id>(random.below(t));
      const auto at = static_cast<std::uint32_t>(random.below(length - 2));
      if (spawns[parent][at] != no_id) continue;
      spawns[parent][at] = t;
      source.spawns.push_back({{parent, at}, t});
      source.joins.push_back({{t, length - 1}, {parent, length - 1}});
      break;
    }
  }
  // Depth first.
  std::vector<dag_source::place> order, stack = {{0, 0}};
  while (!stack.empty()) {
    const auto at = stack.back();
    stack.pop_back();
    order.push_back(at);
    if (at.instruction + 1 < length) stack.push_back({at.thread, at.instruction + 1});
    if (const auto child = spawns[at.thread][at.instruction]; child != no_id)
      stack.push_back({child, 0});
  }
  for (int i = 0; i < 30; ++i) {
    auto from = random.below(order.size()), to = random.below(order.size());
    if (from > to) std::swap(from, to);
    auto more = source;
    more.joins.push_back({order[from], order[to]});
    try {
      const explicit_dag allowed(more);
      source = std::move(more);
    } catch (const dag_error&) {  // the model has no such edge
    }
  }
  return source;
}

bool leads_to(const explicit_dag& dag, node_id from, node_id to) {
  std::vector<bool> seen(dag.node_count());
  std::vector<node_id> open = {from};
  while (!open.empty()) {
    const node_id v = open.back();
    open.pop_back();
    if (v == to) return true;
    if (seen[v]) continue;
    seen[v] = true;
    dag.each_edge(v, [&](const explicit_dag::edge& e) { open.push_back(e.to); });
  }
  return false;
}

void expect_all_dependencies(const explicit_dag& of, const explicit_dag& made) {
  std::map<std::string, node_id> places;
  for (node_id v = 0; v < made.node_count(); ++v) places[made.node_name(v)] = v;
  for (node_id v = 0; v < of.node_count(); ++v)
    of.each_edge(v, [&](const explicit_dag::edge& e) {
      EXPECT_TRUE(leads_to(made, places.at(of.node_name(v)), places.at(of.node_name(e.to))))
          << of.node_name(v) << " -> " << of.node_name(e.to);
    });
}

}  // namespace

TEST(MakeStrict, KeepsEachDependency) {
  int general = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const explicit_dag dag(random_source(seed));
    general += dag.kind() == strictness::general;
    for (const auto kind : {strictness::strict, strictness::fully_strict}) {
      const auto made = make_strict(dag, kind);
      EXPECT_GE(made.dag.kind(), kind) << seed;
      EXPECT_EQ(made.dag.work(), dag.work() + made.instructions_added);
      EXPECT_GE(made.dag.span(), dag.span());
      expect_all_dependencies(dag, made.dag);
    }
  }
  EXPECT_GT(general, 100);
}

TEST(MakeStrict, ChangesNothingThatIsStrictAlready) {
  const auto made = make_strict(figure1(), strictness::fully_strict);
  EXPECT_EQ(made.joins_moved, 0U);
  EXPECT_EQ(made.instructions_added, 0U);
  EXPECT_EQ(made.dag.span(), figure1().span());
  const auto strict = random_dag(strictness::strict, 3000, 7);
  EXPECT_EQ(make_strict(strict, strictness::strict).joins_moved, 0U);
  const auto fully = make_strict(strict, strictness::fully_strict);
  EXPECT_GT(fully.joins_moved, 0U);
  EXPECT_EQ(fully.dag.kind(), strictness::fully_strict);
}

// Its items go through the stages one after the other, then.
TEST(MakeStrict, CostsAPipelineItsParallelism) {
  const auto pipeline = pipeline_dag(50, 4);
  const auto made = make_strict(pipeline, strictness::fully_strict);
  EXPECT_EQ(made.dag.kind(), strictness::fully_strict);
  EXPECT_GT(pipeline.work(), 4 * pipeline.span());
  EXPECT_LT(made.dag.work(), 2 * made.dag.span());
}

TEST(MakeStrict, RefusesWhatOneProcessorCannotExecuteDepthFirst) {
  dag_source source;
  source.threads = {{"root", 5, 1, {}}, {"a", 3, 1, {}}};
  source.spawns = {{{0, 0}, 1}};
  source.joins = {{{0, 2}, {1, 1}}, {{1, 2}, {0, 4}}};
  const explicit_dag dag(source);
  try {
    static_cast<void>(make_strict(dag, strictness::strict));
    FAIL();
  } catch (const heist::usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("depth first"), std::string::npos) << e.what();
  }
  EXPECT_EQ(make_strict(dag, strictness::general).joins_moved, 0U);
}

// ---- The random numbers: the published sequences, and integers without bias.
namespace {

using heist::lab::rng;
using heist::lab::splitmix64;

TEST(Splitmix64, GivesThePublishedSequence) {
  std::uint64_t state = 1234567;
  EXPECT_EQ(splitmix64(state), 6457827717110365317U);
  EXPECT_EQ(splitmix64(state), 3203168211198807973U);
  EXPECT_EQ(splitmix64(state), 9817491932198370423U);
}

TEST(Rng, TheSameSeedGivesTheSameNumbersAndAnotherStreamOthers) {
  rng a(7), b(7), other_stream(7, 1), other_seed(8);
  int same_stream = 0;
  int same_seed = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto value = a.next();
    EXPECT_EQ(value, b.next());
    same_stream += value == other_stream.next() ? 1 : 0;
    same_seed += value == other_seed.next() ? 1 : 0;
  }
  EXPECT_EQ(same_stream, 0);
  EXPECT_EQ(same_seed, 0);
}

TEST(Rng, IntegersBelowABoundAreAllThereAndAboutEquallyOften) {
  for (const std::uint64_t bound : {1U, 2U, 3U, 7U, 10U, 64U}) {
    constexpr int per_value = 10'000;
    rng random(bound);
    std::vector<int> count(bound);
    for (std::uint64_t i = 0; i < bound * per_value; ++i) {
      const auto value = random.below(bound);
      ASSERT_LT(value, bound);
      ++count[value];
    }
    // Six standard deviations: of a billion seeds of a fair generator, one or two would fail.
    for (const int each : count) EXPECT_NEAR(each, per_value, 600) << bound;
  }
}

// With a multiplication alone, the values below 2^62 would come twice as often as the others.
TEST(Rng, ALargeBoundIsNotBiased) {
  constexpr std::uint64_t bound = (1ULL << 63U) + (1ULL << 62U);
  rng random(3);
  std::array<int, 3> thirds{};
  for (int i = 0; i < 300'000; ++i) ++thirds[random.below(bound) >> 62U];
  for (const int each : thirds) EXPECT_NEAR(each, 100'000, 1600);
}

TEST(Rng, BetweenIncludesBothEnds) {
  rng random(5);
  bool least = false;
  bool greatest = false;
  for (int i = 0; i < 1000; ++i) {
    const auto value = random.between(10, 13);
    ASSERT_GE(value, 10U);
    ASSERT_LE(value, 13U);
    least = least || value == 10;
    greatest = greatest || value == 13;
  }
  EXPECT_TRUE(least);
  EXPECT_TRUE(greatest);
  EXPECT_EQ(random.between(4, 4), 4U);
  (void)random.between(0, UINT64_MAX);
}

TEST(Rng, UnitIsBelowOneAndCentred) {
  rng random(11);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double value = random.unit();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.006);
}

TEST(Rng, ShuffleIsAPermutationAndEveryPlaceIsReached) {
  rng random(2);
  std::array<std::array<int, 4>, 4> count{};
  for (int round = 0; round < 40'000; ++round) {
    std::vector<int> values(4);
    std::iota(values.begin(), values.end(), 0);
    random.shuffle(values);
    for (std::size_t place = 0; place < 4; ++place)
      ++count[place][static_cast<std::size_t>(values[place])];
  }
  for (const auto& place : count)
    for (const int each : place) EXPECT_NEAR(each, 10'000, 520);
}

}  // namespace
