// DOT and SVG: every instruction and edge is there, and names can't break out.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/dag/dag_drawing.hpp"
#include "lab/dag/known_dags.hpp"
#include "tests/lab/support.hpp"

namespace {

using heist::lab::dag_source;
using heist::lab::dag_to_dot;
using heist::lab::dag_to_svg;
using heist::lab::explicit_dag;
using heist::lab::figure1;
using heist_test::count;
using testing::HasSubstr;
using testing::Not;

// Figure 1 has 17 continue edges, 5 spawns and 6 joins.
TEST(DagToDot, HasEveryThreadInstructionAndEdge) {
  const auto dot = dag_to_dot(figure1());
  EXPECT_EQ(count(dot, "subgraph cluster_"), 6U);
  EXPECT_EQ(count(dot, "[label="), 23U);
  EXPECT_EQ(count(dot, " -> "), 28U);
  EXPECT_EQ(count(dot, "style=bold"), 5U);
  EXPECT_EQ(count(dot, "style=dashed"), 6U);
}

TEST(DagToSvg, HasEveryThreadInstructionAndEdge) {
  const auto svg = dag_to_svg(figure1());
  EXPECT_EQ(count(svg, "<rect class=\"block\""), 6U);
  EXPECT_EQ(count(svg, "<circle class=\"node"), 23U);
  EXPECT_EQ(count(svg, "<circle class=\"node long\""), 10U);
  // One more of each kind in the legend, and one that shows a longest path.
  EXPECT_EQ(count(svg, "<path class=\"e"), 17U + 2U);
  EXPECT_EQ(count(svg, "<path class=\"s"), 5U + 1U);
  EXPECT_EQ(count(svg, "<path class=\"j"), 6U + 1U);
  EXPECT_EQ(svg, dag_to_svg(figure1()));
}

TEST(DagExport, EscapesNames) {
  dag_source source;
  source.name = "a\"b<c>";
  source.threads = {{"t\"\\<", 1, 1, {"<i>"}}};
  const explicit_dag dag(source);
  EXPECT_THAT(dag_to_dot(dag), HasSubstr("digraph \"a\\\"b<c>\""));
  EXPECT_THAT(dag_to_dot(dag), HasSubstr("label=\"t\\\"\\\\<\""));
  EXPECT_THAT(dag_to_svg(dag), HasSubstr("&lt;i&gt;"));
  EXPECT_THAT(dag_to_svg(dag), Not(HasSubstr("<i>")));
}

TEST(DagToSvg, RefusesWhatNobodyCouldSee) {
  dag_source source;
  source.threads = {{"", heist::lab::max_drawn_nodes + 1, 1, {}}};
  EXPECT_THROW((void)dag_to_svg(explicit_dag(source)), heist::usage_error);
}

}  // namespace
