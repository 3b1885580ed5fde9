// Figure 2 of Blumofe and Leiserson: the Busy-Leaves algorithm runs Figure 1's computation on two
// processors.
#include <gtest/gtest.h>

#include "lab/checks/schedule.hpp"
#include "lab/dag/known_dags.hpp"
#include "support.hpp"

using namespace heist::lab;

namespace {

class Figure2 : public testing::Test {
 protected:
  // "G1: v1", or "" for an idle processor; steps and processors count from 1.
  [[nodiscard]] std::string cell(std::size_t step, std::size_t column) const {
    return table_.rows.at(step - 1).at(column);
  }
  [[nodiscard]] std::string pool(std::size_t step) const { return cell(step, 3); }

  explicit_dag dag_ = figure1();
  schedule steps_ = make_schedule(dag_, settings_of(scheduler_kind::busy_leaves, 2));
  heist::report::table table_ = to_table(steps_, dag_);
};

}  // namespace

TEST_F(Figure2, HasTwoProcessorsAndAPool) {
  EXPECT_EQ(table_.columns, (std::vector<std::string>{"step", "p1", "p2", "pool"}));
}

TEST_F(Figure2, ASpawnReturnsTheParentToThePool) {
  EXPECT_EQ(cell(2, 1), "G1: v2");
  EXPECT_EQ(cell(2, 2), "");
  EXPECT_EQ(cell(3, 1), "G2: v3");
  EXPECT_EQ(cell(3, 2), "G1: v16");  // the idle p2 has taken G1 out of it again
}

TEST_F(Figure2, AStallLeavesTheProcessorIdle) {
  EXPECT_EQ(cell(8, 2), "G1: v21");
  EXPECT_EQ(cell(9, 2), "");
  EXPECT_EQ(pool(9), "(G1)");
}

TEST_F(Figure2, ADeathMayTakeTheParent) {
  EXPECT_EQ(cell(13, 1), "G2: v15");
  EXPECT_EQ(cell(14, 1), "G1: v23");
  EXPECT_EQ(steps_.size(), 14u);
}

TEST_F(Figure2, ExecutesEachInstructionOnceAndAfterThoseItNeeds) {
  std::vector<std::size_t> step_of(dag_.node_count(), 0);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const node_id v : steps_[i].executed) {
      if (v == no_id) continue;
      EXPECT_EQ(step_of[v], 0u) << dag_.node_name(v);
      step_of[v] = i + 1;
    }
  }
  for (node_id v = 0; v < dag_.node_count(); ++v) {
    ASSERT_GT(step_of[v], 0u) << dag_.node_name(v);
    dag_.each_edge(v, [&](const explicit_dag::edge& edge) {
      EXPECT_LT(step_of[v], step_of[edge.to]) << dag_.node_name(v) << dag_.node_name(edge.to);
    });
  }
}

TEST_F(Figure2, HasNoReadyThreadInThePoolWhileAProcessorIsIdle) {
  for (const auto& step : steps_)
    EXPECT_TRUE(step.ready.empty() || (step.executed[0] != no_id && step.executed[1] != no_id));
}
