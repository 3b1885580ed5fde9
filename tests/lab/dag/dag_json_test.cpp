// Files that are no DAGs, each with the one line that says what is wrong and where; and files that
// are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "lab/dag/dag_drawing.hpp"
#include "lab/dag/dag_json.hpp"
#include "lab/dag/known_dags.hpp"
#include "lab/dag/random_dag.hpp"
#include "tests/lab/support.hpp"

namespace {

using heist::lab::dag_from_file;
using heist::lab::dag_from_json;
using heist::lab::dag_to_json;
using heist::lab::explicit_dag;
using heist::lab::figure1;
using heist::lab::node_id;
using heist::lab::random_dag;
using heist::lab::strictness;
using testing::HasSubstr;
using testing::StartsWith;

const std::string folder = HEIST_LAB_DAG_FILES;

// By the file's name, what follows it in the message. Of the JSON library's own words only the
// place.
const std::map<std::string, std::string> complaints = {
    {"array_at_top", ":1:1: a DAG is an object, not an array"},
    {"comment", ":2:2: not JSON: "},
    {"cycle", ":6:3: the edges have a cycle: y -> d -> y"},
    {"empty", ":1:1: not JSON: "},
    {"field_twice", ":4:2: field 'threads' stands twice"},
    {"frame_fraction", ":2:43: a frame is a whole number, not 2.5"},
    {"frame_huge", ":2:43: a frame is a whole number, not 99999999999999999999999"},
    {"frame_negative", ":2:43: a frame is a whole number, not -2"},
    {"frame_too_large", ":2:43: frame is from 0 to 4294967296, not 4294967297"},
    {"greek", ":5:12: no instruction is called ΓΓ"},
    {"instruction_is_number", ":2:37: an instruction is a string, its name, not 2"},
    {"instruction_like_a_number", ":2:32: a second instruction G2.1"},
    {"instruction_twice", ":3:5: a second instruction a"},
    {"instructions_none", ":2:14: thread G1 has no instruction"},
    {"instructions_too_many", ":2:31: instructions is from 1 to 4194304, not 4194305"},
    {"instructions_too_many_in_all",
     ":2:41: a DAG has at most 4194304 instructions; thread G2 exceeds that"},
    {"instructions_zero", ":2:31: instructions is from 1 to 4194304, not 0"},
    {"join_after_spawn", ":5:12: join edge z -> c: c comes right after the spawn b"},
    {"join_in_one_thread", ":5:24: join edge a -> e: both are of one thread, whose order is fixed"},
    {"join_of_number_out_of_range", ":4:12: no instruction is called G2.3"},
    {"join_of_number_zero", ":4:12: no instruction is called G2.0"},
    {"join_to_first", ":5:24: join edge a -> x: x is the first instruction of thread G2"},
    {"name_empty", ":2:23: a name is not empty"},
    {"name_is_null", ":2:23: a name is a string, not null"},
    {"name_long", ":2:23: a name has at most 200 bytes, not 201"},
    {"name_with_control", ":2:23: a name has no control characters"},
    {"no_format", ":1:1: the field 'format' is missing"},
    {"no_parent", ":3:3: thread G2 has no parent: no instruction spawns it"},
    {"no_threads", ":1:1: the field 'threads' is missing"},
    {"nobody_waits",
     ":3:3: z, the last instruction of thread G2, has no edge out: nobody waits for it"},
    {"not_json", ":1:1: not JSON: "},
    {"not_utf8", ":2:24: not JSON: "},
    {"number_at_top", ":1:1: a DAG is an object, not 17"},
    {"number_overflow", ":2:35: not JSON: number overflow parsing '1e999'"},
    {"only_space", ":3:1: not JSON: "},
    {"other_format", ":1:12: the format is 'heist dag 1', not 'dot'"},
    {"root_goes_on",
     ":2:14: e, the root's last instruction, has an edge out: it is to be the DAG's last"},
    {"root_spawned", ":5:3: x of thread G2 spawns G1, the root: the first thread has no parent"},
    {"spawn_by_nobody", ":4:13: no instruction is called q"},
    {"spawn_end_is_number", ":4:19: the ends of an edge are names, not 2"},
    {"spawn_is_object", ":4:13: a spawn is an array: [\"instruction\", \"thread\"], not an object"},
    {"spawn_of_nobody", ":4:13: no thread is called G3"},
    {"spawn_with_one_end", ":4:13: an edge has two ends"},
    {"spawn_with_three_ends", ":4:25: an edge has two ends"},
    {"thread_field_twice", ":3:3: field 'frame' stands twice"},
    {"thread_is_string", ":2:14: threads are objects, not a string"},
    {"thread_twice", ":3:3: a second thread G2"},
    {"thread_without_instructions", ":2:14: a thread without the field 'instructions'"},
    {"threads_empty", ": a DAG has at least one thread"},
    {"threads_is_object", ":2:13: this field is an array, not an object"},
    {"three_edges_out",
     ":5:24: join edge y -> e: y has more than two edges out, with those to the next instruction "
     "and to a child"},
    {"trailing", ":6:1: not JSON: "},
    {"truncated", ":4:19: not JSON: "},
    {"two_parents", ":4:26: thread G2 has two parents: b of thread G1 and c of thread G1 spawn it"},
    {"unknown_field",
     ":5:2: unknown field 'edges': a DAG has format, name, unit, regions, threads, spawns and "
     "joins"},
    {"unknown_thread_field",
     ":2:34: unknown field 'frames': a thread has name, frame, priority, instructions, weights "
     "and regions"},
    {"priority_huge", ":2:46: priority is from 0 to 4294967295, not 4294967296"},
    {"priority_negative", ":2:46: a priority is a whole number, not -1"},
    {"region_is_string", ":2:43: a region of an instruction is its number, not a string"},
    {"region_name_is_number", ":1:39: a region is a string, its name, not 7"},
    {"region_unknown", ":2:14: thread G1: there is no region 1: the DAG names 1"},
    {"regions_missing_one", ":2:14: thread G1 has 3 instructions and 2 regions"},
    {"unit_other", ":1:35: the unit is 'ns' or not given, not 'days'"},
    {"weight_fraction", ":2:30: a weight is a whole number, not 2.5"},
    {"weight_huge", ":2:27: weights is from 1 to 1099511627776, not 1099511627777"},
    {"weight_zero", ":2:30: weights is from 1 to 1099511627776, not 0"},
    {"weights_missing_one", ":2:14: thread G1 has 3 instructions and 2 weights"},
    {"weights_none", ":2:14: a thread without the field 'instructions'"},
    {"weights_number", ":2:26: this field is an array, not 3"},
    {"utf16", ":1:1: not JSON: "},
    {"zero_byte", ":5:1: not JSON: "},
};

template <class Call>
std::string message_of(Call call) {
  try {
    (void)call();
  } catch (const heist::error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BadFile, IsRefusedWithItsPlaceAndReason) {
  for (const auto& [name, complaint] : complaints) {
    const auto path = folder + "/bad/" + name + ".json";
    const auto message = message_of([&] { return dag_from_file(path); });
    EXPECT_THAT(message, StartsWith(path + complaint));
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 0) << name;
    EXPECT_LT(message.size(), path.size() + 300) << name;
  }
}

TEST(BadFile, EachHasItsLineHere) {
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/bad"))
    EXPECT_EQ(complaints.count(entry.path().stem().string()), 1U) << entry.path();
}

TEST(BadFile, OneThatCantBeReadIsAnErrorOfTheEnvironment) {
  EXPECT_THROW((void)dag_from_file(folder + "/missing.json"), heist::resource_error);
  EXPECT_THROW((void)dag_from_file(folder), heist::resource_error);
}

TEST(BadFile, DeepNestingIsRefusedAtItsBeginning) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(message_of([&] { return dag_from_json(deep, "f"); }),
            "f:1:1: a DAG is an object, not an array");
  EXPECT_EQ(message_of([&] { return dag_from_json("{\"threads\": [" + deep, "f"); }),
            "f:1:14: threads are objects, not an array");
}

TEST(BadFile, HugeOnesAreRefusedBeforeTheyAreParsed) {
  const std::string huge(heist::lab::max_dag_file + 1, ' ');
  EXPECT_EQ(message_of([&] { return dag_from_json(huge, "f"); }), "f: larger than 128 MiB");
}

// Whatever is cut off, the rest is refused, and nothing else happens.
TEST(BadFile, EveryBeginningOfAFileIsRefused) {
  auto text = dag_to_json(figure1());
  text.erase(text.find_last_of('}') + 1);
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_THROW((void)dag_from_json(std::string_view(text).substr(0, length), "f"),
                 heist::usage_error)
        << length;
  EXPECT_EQ(dag_from_json(text, "f").node_count(), 23U);
}

TEST(GoodFile, IsTaken) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/good")) {
    EXPECT_EQ(message_of([&] { return dag_from_file(entry.path().string()); }), "accepted")
        << entry.path();
    ++files;
  }
  EXPECT_GE(files, 6);
}

TEST(GoodFile, NumbersStandForInstructionsWithoutNames) {
  const auto dag = dag_from_file(folder + "/good/numbers.json");
  EXPECT_EQ(dag.spawner(1), 0U);
  ASSERT_EQ(dag.joins_from(6).size(), 1U);
  EXPECT_EQ(dag.joins_from(6)[0], 3U);
  EXPECT_EQ(dag.node_name(6), "G2.2");
}

TEST(GoodFile, PrioritiesAreKept) {
  const auto dag = dag_from_file(folder + "/good/priorities.json");
  for (const auto& same_one : {dag, dag_from_json(dag_to_json(dag), "f")}) {
    EXPECT_EQ(same_one.priority(0), 0U);
    EXPECT_EQ(same_one.priority(1), 3U);
    EXPECT_EQ(same_one.priority(2), 4294967295U);
  }
}

TEST(GoodFile, WeightsAndRegionsAreKept) {
  const auto dag = dag_from_file(folder + "/good/weights.json");
  for (const auto& same_one : {dag, dag_from_json(dag_to_json(dag), "f")}) {
    EXPECT_TRUE(same_one.is_in_ns());
    EXPECT_EQ(same_one.work(), 75U);
    EXPECT_EQ(same_one.span(), 5U + 40 + 2 + 7);
    EXPECT_EQ(same_one.critical_path().size(), 4U);
    EXPECT_EQ(same_one.weight(3), 40U);
    EXPECT_EQ(same_one.regions().at(same_one.region(3)), "parse/numbers");
    EXPECT_EQ(same_one.weight(5), 1U);
  }
}

TEST(GoodFile, ARegionIsScaledWithThoseInsideIt) {
  auto dag = dag_from_file(folder + "/good/weights.json");
  dag.scale("parse", 0.5);
  EXPECT_EQ(dag.work(), 5U + 10 + 7 + 20 + 1 + 1);
  EXPECT_EQ(dag.span(), 5U + 20 + 1 + 7);
  dag.scale("numbers", 3);
  EXPECT_EQ(dag.weight(3), 60U);
  dag.scale("sort", 0);
  EXPECT_EQ(dag.weight(2), 1U);
  EXPECT_THROW(dag.scale("pars", 2), heist::usage_error);
}

TEST(GoodFile, EscapesAndLettersOfOtherScriptsAreKept) {
  const auto dag = dag_from_file(folder + "/good/escapes.json");
  EXPECT_EQ(dag.name(), "\xCE\x93 \"quoted\" \\");
  EXPECT_EQ(dag.node_name(0), "a");
  EXPECT_EQ(dag_from_json(dag_to_json(dag), "f").name(), dag.name());
}

bool same(const explicit_dag& a, const explicit_dag& b) {
  if (a.thread_count() != b.thread_count() || a.node_count() != b.node_count()) return false;
  for (heist::lab::thread_id t = 0; t < a.thread_count(); ++t)
    if (a.spawner(t) != b.spawner(t) || a.frame(t) != b.frame(t) || a.first(t) != b.first(t) ||
        a.thread_name(t) != b.thread_name(t))
      return false;
  for (node_id v = 0; v < a.node_count(); ++v)
    if (a.node_name(v) != b.node_name(v) || !std::ranges::equal(a.joins_from(v), b.joins_from(v)))
      return false;
  return a.name() == b.name();
}

TEST(DagToJson, GivesTheSameDagBack) {
  EXPECT_TRUE(same(figure1(), dag_from_json(dag_to_json(figure1()), "f")));
  for (const auto kind : {strictness::fully_strict, strictness::strict, strictness::general})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto dag = random_dag(kind, 1 + seed * 17, seed);
      EXPECT_TRUE(same(dag, dag_from_json(dag_to_json(dag), "f"))) << dag.name();
    }
}

}  // namespace

// ---- DOT and SVG: every instruction and edge is there, and names can't break out.
namespace {

using heist::lab::dag_source;
using heist::lab::dag_to_dot;
using heist::lab::dag_to_svg;
using heist_test::count;
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
