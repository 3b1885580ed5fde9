// The rules of the model, one broken at a time, and measures of DAGs whose answers are known.
#include "lab/dag/explicit_dag.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/dag/known_dags.hpp"

namespace {

using heist::lab::dag_error;
using heist::lab::dag_source;
using heist::lab::explicit_dag;
using heist::lab::figure1;
using heist::lab::no_id;
using heist::lab::node_id;
using heist::lab::strictness;
using heist::lab::thread_id;
using testing::HasSubstr;

dag_source::thread chain(std::uint32_t length, std::uint64_t frame = 1) {
  return {"", length, frame, {}};
}

// G1 = 1 2 3 4 5, its 2nd spawns G2 = 1 2, whose last joins G1's 4th.
dag_source fork() {
  dag_source source;
  source.threads = {chain(5), chain(2)};
  source.spawns = {{{0, 1}, 1}};
  source.joins = {{{1, 1}, {0, 3}}};
  return source;
}

struct refusal {
  dag_error::part part;
  std::size_t index;
  std::string message;
};

refusal refusal_of(const dag_source& source) {
  try {
    explicit_dag dag(source);
  } catch (const dag_error& error) {
    return {error.where(), error.index(), error.what()};
  }
  ADD_FAILURE() << "accepted";
  return {};
}

void expect_refused(const dag_source& source, dag_error::part part, std::size_t index,
                    const std::string& message) {
  const auto got = refusal_of(source);
  EXPECT_EQ(got.part, part) << got.message;
  EXPECT_EQ(got.index, index) << got.message;
  EXPECT_THAT(got.message, HasSubstr(message));
}

node_id named(const explicit_dag& dag, const std::string& name) {
  for (node_id v = 0; v < dag.node_count(); ++v)
    if (dag.node_name(v) == name) return v;
  return no_id;
}

TEST(ExplicitDag, AChainHasItsLengthAsWorkAndSpan) {
  dag_source source;
  source.threads = {chain(7, 5)};
  const explicit_dag dag(source);
  EXPECT_EQ(dag.work(), 7U);
  EXPECT_EQ(dag.span(), 7U);
  EXPECT_EQ(dag.stack_depth(), 5U);
  EXPECT_EQ(dag.largest_frame(), 5U);
  EXPECT_EQ(dag.most_joins(), 0U);
  EXPECT_EQ(dag.kind(), strictness::fully_strict);
  EXPECT_EQ(dag.critical_path().size(), 7U);
}

TEST(ExplicitDag, AForkIsMeasured) {
  const explicit_dag dag(fork());
  EXPECT_EQ(dag.work(), 7U);
  EXPECT_EQ(dag.span(), 6U);  // 1 2 [1 2] 4 5
  EXPECT_EQ(dag.stack_depth(), 2U);
  EXPECT_EQ(dag.most_joins(), 1U);
  EXPECT_EQ(dag.parent(1), 0U);
  EXPECT_EQ(dag.spawner(1), 1U);
  EXPECT_EQ(dag.node_name(5), "G2.1");
  EXPECT_EQ(dag.kind(), strictness::fully_strict);
  EXPECT_EQ(dag.why_not_strict(), "");
}

TEST(ExplicitDag, Figure1HasTheFactsOfTheText) {
  const auto dag = figure1();
  EXPECT_EQ(dag.work(), 23U);
  EXPECT_EQ(dag.span(), 10U);
  EXPECT_EQ(dag.thread_count(), 6U);
  EXPECT_EQ(dag.kind(), strictness::fully_strict);
  const thread_id g1 = 0, g2 = 1, g5 = 4;
  for (const thread_id child : {1U, 5U}) EXPECT_EQ(dag.parent(child), g1);
  for (const thread_id child : {2U, 3U, 4U}) EXPECT_EQ(dag.parent(child), g2);
  EXPECT_EQ(dag.spawned_by(named(dag, "v2")), g2);
  EXPECT_EQ(dag.first(g2), named(dag, "v3"));
  EXPECT_EQ(dag.first(dag.spawned_by(named(dag, "v6"))), named(dag, "v7"));
  ASSERT_EQ(dag.length(g5), 3U);
  for (std::uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(dag.node_name(dag.first(g5) + i), "v" + std::to_string(10 + i));
  EXPECT_EQ(dag.node_name(dag.last(g2)), "v15");
  const node_id stall = named(dag, "v21");
  EXPECT_EQ(dag.thread_of(stall), g1);
  EXPECT_GT(dag.in_degree(stall + 1), 1U);
  EXPECT_EQ(dag.stack_depth(), 3U);
  EXPECT_EQ(dag.most_joins(), 2U);
}

TEST(ExplicitDag, StackDepthIsTheLargestSumOfFramesUpToTheRoot) {
  dag_source source;
  source.threads = {chain(6, 10), chain(4, 3), chain(1, 4), chain(1, 6)};
  source.spawns = {{{0, 0}, 1}, {{1, 0}, 2}, {{0, 2}, 3}};
  source.joins = {{{1, 3}, {0, 5}}, {{2, 0}, {1, 3}}, {{3, 0}, {0, 5}}};
  const explicit_dag dag(source);
  EXPECT_EQ(dag.stack_depth(2), 17U);
  EXPECT_EQ(dag.stack_depth(3), 16U);
  EXPECT_EQ(dag.stack_depth(), 17U);
  EXPECT_EQ(dag.largest_frame(), 10U);
  EXPECT_TRUE(dag.is_ancestor(0, 2));
  EXPECT_TRUE(dag.is_ancestor(1, 2));
  EXPECT_FALSE(dag.is_ancestor(3, 2));
  EXPECT_FALSE(dag.is_ancestor(2, 1));
}

TEST(ExplicitDag, JoinsWithAGrandparentAreStrictButNotFully) {
  dag_source source;
  source.threads = {chain(5), chain(4), chain(2)};
  source.spawns = {{{0, 0}, 1}, {{1, 0}, 2}};
  source.joins = {{{1, 3}, {0, 3}}, {{2, 1}, {1, 2}}, {{2, 0}, {0, 2}}};
  const explicit_dag dag(source);
  EXPECT_EQ(dag.kind(), strictness::strict);
  EXPECT_EQ(dag.why_not_strict(), "");
  EXPECT_EQ(dag.why_not_fully_strict(),
            "join edge G3.1 -> G1.3 goes from thread G3 to G1, which is not its parent");
}

TEST(ExplicitDag, JoinsWithSiblingsAreGeneral) {
  dag_source source;
  source.threads = {chain(5), chain(3), chain(3)};
  source.spawns = {{{0, 0}, 1}, {{0, 1}, 2}};
  source.joins = {{{1, 2}, {0, 4}}, {{2, 2}, {0, 4}}, {{1, 0}, {2, 1}}};
  const explicit_dag dag(source);
  EXPECT_EQ(dag.kind(), strictness::general);
  EXPECT_EQ(dag.why_not_strict(),
            "join edge G2.1 -> G3.2 goes from thread G2 to G3, which is not its ancestor");
}

TEST(ExplicitDag, AThreadThatItsParentDoesntWaitForIsGeneral) {
  dag_source source;
  source.threads = {chain(5), chain(3), chain(1)};
  source.spawns = {{{0, 0}, 1}, {{1, 0}, 2}};
  source.joins = {{{1, 2}, {0, 4}}, {{2, 0}, {0, 4}}};  // G3 ends with its grandparent only
  const explicit_dag dag(source);
  EXPECT_EQ(dag.kind(), strictness::general);
  EXPECT_THAT(dag.why_not_strict(), HasSubstr("G3.1, the last instruction of thread G3"));
}

TEST(ExplicitDag, RefusesThreadsThatBreakARule) {
  using enum dag_error::part;
  expect_refused({}, whole, 0, "at least one thread");

  auto source = fork();
  source.threads[1].length = 0;
  expect_refused(source, thread, 1, "thread G2 has no instruction");

  source = fork();
  source.threads[1].names = {"a"};
  expect_refused(source, thread, 1, "2 instructions and 1 names");

  source = fork();
  source.threads[1].frame = explicit_dag::max_frame + 1;
  expect_refused(source, thread, 1, "a frame is at most 4294967296");

  source = fork();
  source.threads.push_back(chain(static_cast<std::uint32_t>(explicit_dag::max_nodes)));
  expect_refused(source, thread, 2, "at most 4194304 instructions");

  source = fork();
  source.spawns.clear();
  source.joins.clear();
  expect_refused(source, thread, 1, "thread G2 has no parent");

  source = fork();
  source.joins[0].from = {1, 0};
  expect_refused(source, thread, 1, "G2.2, the last instruction of thread G2, has no edge out");

  source = fork();
  source.joins.push_back({{0, 4}, {1, 1}});
  expect_refused(source, thread, 0, "the root's last instruction, has an edge out");
}

TEST(ExplicitDag, RefusesEdgesThatBreakARule) {
  using enum dag_error::part;
  auto source = fork();
  source.spawns.push_back({{0, 2}, 1});
  expect_refused(source, spawn, 1, "thread G2 has two parents: G1.2 of thread G1 and G1.3");

  source = fork();
  source.spawns.push_back({{1, 0}, 0});
  expect_refused(source, spawn, 1, "the first thread has no parent");

  source = fork();
  source.spawns = {{{1, 0}, 1}};
  expect_refused(source, spawn, 0, "spawns itself");

  source = fork();
  source.threads.push_back(chain(1));
  source.spawns.push_back({{0, 1}, 2});
  expect_refused(source, spawn, 1, "G1.2 of thread G1 spawns two threads, G2 and G3");

  source = fork();
  source.spawns[0].from.instruction = 5;
  expect_refused(source, spawn, 0, "instruction number 5 of thread G1, which has 5");

  source = fork();
  source.joins[0].to = {2, 0};
  expect_refused(source, join, 0, "thread number 2 of 2");

  source = fork();
  source.joins[0].to = {0, 2};
  expect_refused(source, join, 0, "G1.3 comes right after the spawn G1.2");

  source = fork();
  source.joins.push_back({{0, 2}, {1, 0}});
  expect_refused(source, join, 1, "G2.1 is the first instruction of thread G2");

  source = fork();
  source.joins.push_back({{0, 0}, {0, 3}});
  expect_refused(source, join, 1, "both are of one thread");

  source = fork();
  source.joins.push_back({{1, 1}, {0, 3}});
  expect_refused(source, join, 1, "join edge G2.2 -> G1.4 stands twice");

  source = fork();
  source.joins.push_back({{1, 1}, {0, 4}});
  source.joins.push_back({{1, 1}, {0, 4}});
  expect_refused(source, join, 2, "more than two edges out");
}

TEST(ExplicitDag, RefusesACycleAndNamesIt) {
  auto source = fork();
  source.threads[1].length = 3;
  source.joins = {{{1, 2}, {0, 4}}, {{1, 1}, {0, 3}}, {{0, 3}, {1, 1}}};
  const auto got = refusal_of(source);
  EXPECT_EQ(got.part, dag_error::part::join);
  EXPECT_EQ(got.index, 2U);
  EXPECT_TRUE(got.message == "the edges have a cycle: G2.2 -> G1.4 -> G2.2" ||
              got.message == "the edges have a cycle: G1.4 -> G2.2 -> G1.4")
      << got.message;
}

TEST(ExplicitDag, RefusesThreadsThatSpawnEachOther) {
  dag_source source;
  source.threads = {chain(3), chain(3), chain(3)};
  source.spawns = {{{1, 0}, 2}, {{2, 0}, 1}};
  expect_refused(source, dag_error::part::thread, 1, "thread G2 is its own ancestor");
}

// A hundred thousand generations: nothing may recurse over them.
TEST(ExplicitDag, ADeepSpawnTreeIsNoProblem) {
  constexpr std::uint32_t depth = 100'000;
  dag_source source;
  for (std::uint32_t t = 0; t < depth; ++t) {
    source.threads.push_back(chain(3));
    if (t == 0) continue;
    source.spawns.push_back({{t - 1, 0}, t});
    source.joins.push_back({{t, 2}, {t - 1, 2}});
  }
  const explicit_dag dag(std::move(source));
  EXPECT_EQ(dag.kind(), strictness::fully_strict);
  EXPECT_EQ(dag.stack_depth(), depth);
  EXPECT_EQ(dag.span(), 2U * depth + 1);
}

}  // namespace
