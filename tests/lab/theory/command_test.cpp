// `heist theory` as a user meets it: what it prints, the files that it writes, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/theory/theory_adversaries.hpp"
#include "cli/theory/theory_granularity.hpp"
#include "cli/theory/theory_recycling.hpp"
#include "lab/dag/dag_json.hpp"
#include "tests/cli/command.hpp"
#include "tests/lab/support.hpp"

namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class TheoryCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "heist_theory_" + std::to_string(getpid());
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + '/' + name; }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

 private:
  std::string folder_;
};

const std::vector<std::string> small_game = {"theory", "recycling", "-P",      "8",
                                             "-M",     "500",       "--seeds", "20"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(TheoryCommand, RecyclingPrintsARowForEachAdversary) {
  const auto result = heist_command(small_game);
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* part :
       {"(8, 500)-recycling game, 20 games", "\neager ", "\nhoarding ", "\none-bin ", "\nrandom ",
        "\nsearched ", "E[D] <= M = 500", "games above their bound: 0"})
    EXPECT_THAT(result.out, HasSubstr(part));
}

TEST_F(TheoryCommand, RecyclingIsTheSameEachTime) {
  EXPECT_EQ(heist_command(small_game).out, heist_command(small_game).out);
  EXPECT_NE(heist_command(small_game).out, heist_command(with(small_game, {"--seed", "2"})).out);
}

TEST_F(TheoryCommand, RecyclingAsCsvAndJson) {
  const auto csv = heist_command(with(small_game, {"--adversary", "eager", "--csv"}));
  EXPECT_EQ(lines(csv.out), 2U);
  EXPECT_THAT(csv.out, StartsWith("adversary,E[D],"));
  const auto json = heist_command(with(small_game, {"--json"}));
  EXPECT_EQ(lines(json.out), 5U);
  EXPECT_THAT(json.out, StartsWith("{\"adversary\": \"eager\", \"P\": 8, \"M\": 500"));
}

TEST_F(TheoryCommand, RecyclingWritesChartAndPage) {
  const auto result =
      heist_command(with(small_game, {"--svg", file("d.svg"), "--html", file("d.html")}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(content("d.svg"), StartsWith("<svg"));
  EXPECT_THAT(content("d.html"), HasSubstr("theory recycling -P 8 -M 500"));
}

TEST_F(TheoryCommand, BoundsOfFigure1) {
  const auto result = heist_command({"theory", "bounds", "--dag", "figure1", "-P", "1..2"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nT1       23 "));
  EXPECT_THAT(result.out, HasSubstr("\nTinf     10 "));
  EXPECT_THAT(result.out, HasSubstr("fully strict"));
  EXPECT_THAT(result.out, HasSubstr("\n2        11.5 "));
}

// A curve needs two points.
TEST_F(TheoryCommand, BoundsForOneNumberOfProcessorsHaveNoEmptyChart) {
  for (const auto& [processors, charts] : {std::pair{"4", 0U}, {"1..4", 1U}}) {
    const auto result = heist_command(
        {"theory", "bounds", "--dag", "fib:12", "-P", processors, "--html", file("b.html")});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(heist_test::count(content("b.html"), "<svg"), charts);
  }
}

TEST_F(TheoryCommand, BoundsOfProgramsAndOfDagsThatAreNotStrict) {
  const auto fib = heist_command({"theory", "bounds", "--dag", "fib:10", "--json"});
  EXPECT_EQ(fib.code, 0) << fib.err;
  EXPECT_THAT(fib.out, StartsWith("{\"dag\": \"fib:10\", \"work\": "));
  EXPECT_EQ(lines(fib.out), 1U + 11U);
  EXPECT_THAT(heist_command({"theory", "bounds", "--dag", "random-general:300,1"}).out,
              HasSubstr("Not strict: "));
  EXPECT_THAT(heist_command({"theory", "bounds", "--dag", "random-strict:300,1"}).out,
              HasSubstr("Only strict: "));
}

TEST_F(TheoryCommand, BoundsWriteTheDagInEveryForm) {
  const auto result =
      heist_command({"theory", "bounds", "--dag", "random:60,3", "--svg", file("p.svg"), "--dot",
                     file("d.dot"), "--save", file("d.json"), "--html", file("b.html")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(content("p.svg"), StartsWith("<svg"));
  EXPECT_THAT(content("d.dot"), StartsWith("digraph"));
  EXPECT_THAT(content("b.html"), HasSubstr("--dag random:60,3"));
  const auto again = heist_command({"theory", "bounds", "--dag", "file:" + file("d.json")});
  const auto first = heist_command({"theory", "bounds", "--dag", "random:60,3"});
  EXPECT_EQ(again.out.substr(again.out.find('\n')), first.out.substr(first.out.find('\n')));
}

TEST_F(TheoryCommand, AdversariesPrintARowForEachKernelAndYield) {
  const auto result =
      heist_command({"theory", "adversaries", "--dag", "fib:12", "-P", "4,8", "--seeds", "2",
                     "--svg", file("a.svg"), "--html", file("a.html")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(lines(result.out), 2U + 2U * 8U * 3U + 1U);
  EXPECT_THAT(result.out, HasSubstr("2 of 2"));
  EXPECT_THAT(result.out, HasSubstr("\nwhere the yield suffices, "));
  EXPECT_THAT(content("a.svg"), HasSubstr("lower-bound"));
  EXPECT_THAT(content("a.html"), HasSubstr("-P 4,8"));
  const auto one = heist_command(
      {"theory", "adversaries", "--dag", "fib:12", "-P", "4", "--kernel", "benign:2", "--csv"});
  EXPECT_EQ(lines(one.out), 4U);
}

TEST_F(TheoryCommand, SimDrawsTheCurveThatIsAskedFor) {
  for (const auto& [curve, label] :
       std::vector<std::pair<std::string, std::string>>{{"speedup", "speedup T1/T"},
                                                        {"space", "S1 P"},
                                                        {"attempts", "P Tinf"},
                                                        {"wait", "WAIT"}}) {
    const auto result = heist_command({"sim", "--dag", "fib:10", "-P", "1..8", "--victim",
                                       "nearest", "--svg", file("c.svg"), "--curve", curve});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(content("c.svg"), HasSubstr(label));
    EXPECT_THAT(content("c.svg"), HasSubstr("fib:10, work-stealing, nearest victims</title>"));
  }
  const auto wrong = heist_command({"sim", "--dag", "fib:10", "--curve", "time"});
  EXPECT_EQ(wrong.code, heist::cli::wrong_usage);
  EXPECT_THAT(wrong.err, HasSubstr("--curve is one of speedup, space, attempts, wait"));
}

TEST_F(TheoryCommand, SimDrawsTheScheduleOfASmallDag) {
  const auto result = heist_command(
      {"sim", "--dag", "figure1", "--scheduler", "busy-leaves", "-P", "2", "--svg", file("s.svg")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\n  13  G2: v15"));
  const auto svg = content("s.svg");
  EXPECT_THAT(svg, HasSubstr(">figure1, busy-leaves, P = 2</text>"));
  for (int v = 1; v <= 23; ++v)  // each instruction once
    EXPECT_EQ(heist_test::count(svg, ">v" + std::to_string(v) + "</text>"), 1U) << v;
  EXPECT_EQ(heist_test::count(svg, "class=\"idle\""), 2U * 14U - 23U);
  EXPECT_EQ(heist_test::count(svg, ">(G1)</text>"), 4U);  // steps 9 to 11, and 13
}

// Strictness is asked for before a schedule is shown, too.
TEST_F(TheoryCommand, SimRefusesAGeneralDagForBusyLeaves) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--table"}}) {
    auto arguments = std::vector<std::string>{
        "sim", "--dag", "random-general:100,1", "--scheduler", "busy-leaves", "-P", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = heist_command(arguments);
    EXPECT_EQ(result.code, heist::cli::wrong_usage);
    EXPECT_EQ(lines(result.err), 1U);
    EXPECT_THAT(result.err, HasSubstr("busy-leaves needs a strict computation: join edge "));
  }
}

// A step of a checked run costs what its processors do, not what all threads of the DAG do: this
// took minutes.
TEST_F(TheoryCommand, SimChecksALargeDag) {
  const auto result = heist_command({"sim", "--dag", "fib:25", "-P", "2", "--check"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("; no violation"));
}

TEST_F(TheoryCommand, SimUnderAKernelIsCheckedAndDrawn) {
  const auto result = heist_command({"sim", "--dag", "fib:12", "--scheduler", "abp", "--kernel",
                                     "benign:3", "-P", "2,8", "--seeds", "2", "--check", "--svg",
                                     file("k.svg"), "--html", file("k.html")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nchecked: 4 runs, "));
  EXPECT_THAT(result.out, HasSubstr("deques in order of depth, "));
  EXPECT_THAT(content("k.svg"), HasSubstr("T1/PA + Tinf P/PA"));
  EXPECT_THAT(content("k.html"), HasSubstr("sim --dag fib:12 --scheduler abp"));
  const auto greedy = heist_command({"sim", "--dag", "fib:12", "--scheduler", "greedy", "--kernel",
                                     "lower-bound:9", "-P", "4", "--check"});
  EXPECT_EQ(greedy.code, 0) << greedy.err;
  EXPECT_THAT(greedy.out, HasSubstr("WORK, T1/PA and Tinf; no violation"));
}

std::string document(const std::string& name) {
  std::ifstream in(HEIST_DOCS "/" + name, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST_F(TheoryCommand, DocumentationShowsThePictureThatTheCommandWrites) {
  (void)heist_command({"theory", "bounds", "--dag", "figure1", "--svg", file("figure1.svg")});
  EXPECT_EQ(content("figure1.svg"), document("pictures/figure1.svg"));
}

TEST_F(TheoryCommand, DocumentationsExampleOfAFileIsOne) {
  const auto text = document("lab.md");
  const auto from = text.find("```json\n") + 8;
  std::ofstream(file("doc.json")) << text.substr(from, text.find("```", from) - from);
  const auto result = heist_command({"theory", "bounds", "--dag", "file:" + file("doc.json")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nS1       3 "));
}

// The schema's limits are the parser's.
TEST_F(TheoryCommand, SchemaHasTheLimits) {
  const auto schema = document("dag.schema.json");
  EXPECT_THAT(schema,
              HasSubstr("\"maximum\": " + std::to_string(heist::lab::explicit_dag::max_frame)));
  EXPECT_THAT(schema,
              HasSubstr("\"maximum\": " + std::to_string(heist::lab::explicit_dag::max_nodes)));
}

void expect_refused(int code, const std::vector<std::string>& arguments,
                    const std::string& complaint) {
  const auto result = heist_command(arguments);
  EXPECT_EQ(result.code, code) << complaint;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("heist: "));
  EXPECT_THAT(result.err, HasSubstr(complaint));
  EXPECT_EQ(lines(result.err), 1U) << result.err;
}

TEST_F(TheoryCommand, MakesDagsStrictAndTriesSchedules) {
  const auto strict = heist_command({"theory", "bounds", "--dag", "pipeline:10,3", "--make",
                                     "fully-strict", "--save", file("strict.json"), "--json"});
  EXPECT_THAT(strict.out, HasSubstr("\"joins_moved\": 27"));
  EXPECT_THAT(strict.out, HasSubstr("\"kind\": \"fully strict\""));
  const auto saved = heist_command({"theory", "bounds", "--dag", "file:" + file("strict.json")});
  EXPECT_THAT(saved.out, HasSubstr("fully strict"));
  const auto tried =
      heist_command({"theory", "bounds", "--dag", "figure1", "--schedules", "-P", "2", "--json"});
  EXPECT_THAT(tried.out, HasSubstr("\"shortest\": 13, \"longest_greedy\": 15"));
}

TEST_F(TheoryCommand, RefusesWhatItCantDo) {
  constexpr int usage = heist::cli::wrong_usage;
  constexpr int refused = heist::cli::environment_refused;
  expect_refused(usage, {"theory"}, "theory needs a subject");
  expect_refused(usage, {"theory", "recycle"}, "did you mean 'recycling'?");
  expect_refused(usage, {"theory", "recycling", "-P", "0"}, "-P takes a whole number from 1");
  expect_refused(usage, {"theory", "recycling", "-P"}, "needs a value");
  expect_refused(usage, {"theory", "recycling", "-M", "1e5"}, "-M takes a whole number");
  expect_refused(usage, {"theory", "recycling", "-M", "99999999999999999999"}, "-M takes");
  expect_refused(usage, {"theory", "recycling", "--seeds", "0"}, "--seeds takes");
  expect_refused(usage, {"theory", "recycling", "--adversary", "eger"}, "did you mean 'eager'?");
  expect_refused(usage, {"theory", "recycling", "--json", "--csv"}, "exclude each other");
  expect_refused(usage, {"theory", "recycling", "--frob"}, "recycling has no option --frob");
  expect_refused(usage, {"theory", "recycling", "64"}, "recycling takes no argument '64'");
  expect_refused(usage, {"theory", "bounds"}, "--dag");
  expect_refused(usage, {"theory", "bounds", "--dag", "frob"}, "unknown computation 'frob'");
  expect_refused(usage, {"theory", "bounds", "--dag", "random:0"}, "size is from 1");
  expect_refused(usage, {"theory", "bounds", "--dag", "file:"}, "a file's name follows");
  expect_refused(usage, {"theory", "bounds", "--dag", "figure1", "-P", "8..2"}, "ends before");
  expect_refused(usage, {"theory", "bounds", "--dag", "figure1", "-P", ""}, "-P takes");
  expect_refused(usage, {"theory", "bounds", "--dag", "figure1", "-P", "1,,2"}, "-P takes");
  expect_refused(usage, {"theory", "bounds", "--dag", "fib:20", "--svg", file("x")},
                 "fib:20 appears as it runs");
  expect_refused(usage, {"theory", "bounds", "--dag", "random:3000", "--svg", file("x")},
                 "a picture shows at most 2000");
  expect_refused(usage, {"theory", "bounds", "--dag", "figure1", "--make", "loose"},
                 "--make is one of strict, fully-strict, not 'loose'");
  expect_refused(usage, {"theory", "bounds", "--dag", "fib:5", "--make", "strict"},
                 "--make goes with DAGs in memory");
  expect_refused(usage, {"theory", "bounds", "--dag", "random-general:100,3", "--make", "strict"},
                 "depth first on one processor");
  expect_refused(usage, {"theory", "bounds", "--dag", "fib:5", "--schedules"},
                 "there are no schedules to try");
  expect_refused(usage, {"theory", "bounds", "--dag", "random:65", "--schedules"},
                 "at most 64 instructions, not of 65");
  expect_refused(usage, {"theory", "adversaries"}, "--dag");
  const std::vector<std::string> fib = {"theory", "adversaries", "--dag", "fib:9"};
  expect_refused(usage, with(fib, {"--kernel", "idle"}), "unknown kernel 'idle'");
  expect_refused(usage, with(fib, {"-P", "0"}), "-P takes a whole number from 1 to 100000");
  expect_refused(usage, with(fib, {"-P", "4,16", "--given", "5"}), "--given takes");
  expect_refused(usage, with(fib, {"x"}), "adversaries takes no argument 'x'");
  expect_refused(usage, with(fib, {"--kernel", "benign:2", "--given", "2"}),
                 "--given doesn't go with --kernel");
  expect_refused(refused, {"theory", "bounds", "--dag", "fib:9", "--html", file("no/x")},
                 "cannot write");
  expect_refused(refused, {"theory", "bounds", "--dag", "file:" + file("none")}, "cannot read");
  expect_refused(refused, {"theory", "bounds", "--dag", "figure1", "--dot", file("no/x")},
                 "cannot write");
  expect_refused(refused, with(small_game, {"--html", file("no/x")}), "cannot write");
  expect_refused(refused, with(fib, {"--svg", file("no/x")}), "cannot write");
  std::ofstream(file("bad.json")) << "{\"format\": 1}";
  expect_refused(usage, {"theory", "bounds", "--dag", "file:" + file("bad.json")},
                 "bad.json:1:12: this field is a string, not 1");
}

}  // namespace

// ---- What heist theory makes of the rows of its studies: cells, JSON, charts and pages.

namespace {

using namespace heist::cli;
using heist::lab::adversary;
using heist::lab::granularity_row;
using heist::lab::granularity_setup;
using heist::lab::hint_kind;
using heist::lab::kernel_study_row;
using heist::lab::kernel_study_setup;
using heist::lab::make_computation;
using heist::lab::recycling_setup;
using heist::lab::task_scheduler;
using heist::lab::yield_policy;
using testing::ElementsAre;
using testing::EndsWith;

TEST(RecyclingRows, AreTheSameOnAPageForTheSameSeed) {
  const recycling_setup setup{4, 1000, 10, 1};
  const auto page = [&setup] {
    return recycling_page(setup, {study_adversary(setup, adversary::eager)},
                          "heist theory recycling -P 4 -M 1000");
  };
  const auto html = page();
  EXPECT_THAT(html, HasSubstr("heist theory recycling -P 4 -M 1000"));
  EXPECT_THAT(html, HasSubstr("<svg"));
  EXPECT_THAT(html, HasSubstr("{&quot;adversary&quot;: &quot;eager&quot;, &quot;P&quot;: 4, "
                              "&quot;M&quot;: 1000, &quot;games&quot;: 10"));
  EXPECT_EQ(html, page());
}

// One game alone says nothing of its mean: no number where there is none.
TEST(RecyclingRows, OneGameHasNoInterval) {
  const recycling_setup setup{4, 100, 1, 1};
  const auto row = study_adversary(setup, adversary::eager);
  const auto columns = recycling_columns(setup);
  const auto views = recycling_views();
  EXPECT_EQ(columns.page_table(views.text, {row}).rows[0][2], "-");
  EXPECT_THAT(columns.json_line(views.json, row), HasSubstr("\"mean_low\": null"));
}

kernel_study_row study(const char* dag, const char* kernel, std::uint32_t processes) {
  const auto program = make_computation(dag);
  const kernel_study_setup setup{.seeds = 5, .seed = 1, .patience = 5000};
  return study_kernel(*program, program->measure(), setup, kernel, yield_policy::none, processes);
}

TEST(AdversaryRows, WithoutAnEndHaveNoFigures) {
  const auto row = study("fib:13", "idle-only:3", 8);
  const auto columns = kernel_study_columns();
  const auto views = kernel_study_views();
  EXPECT_EQ(columns.csv_line(views.csv, row), "idle-only:3,8,adaptive,none,no,-,-,-,-,-,5 of 5\n");
  EXPECT_THAT(columns.json_line(views.json, row), EndsWith("\"given_up\": 5}"));
}

TEST(AdversaryRows, AreFittedFromTwoNumbersOfProcesses) {
  std::vector<kernel_study_row> rows = {study("random:2000,3", "dedicated", 4)};
  EXPECT_EQ(kernel_study_fit_text(rows), "");
  rows.push_back(study("random:2000,3", "dedicated", 32));
  EXPECT_THAT(kernel_study_fit_text(rows), StartsWith("where the yield suffices, 10 runs: T = "));
}

TEST(AdversaryChart, HasANameForEachKernelAndNoMarkWhereNothingEnded) {
  const std::vector rows = {study("fib:12", "dedicated", 4), study("fib:12", "idle-only:2", 4)};
  const auto chart = kernel_study_chart("title", rows, 4);
  EXPECT_THAT(chart.x.names, ElementsAre("dedicated", "idle-only:2"));
  ASSERT_EQ(chart.all.size(), 2U);  // yield none, and the bound
  EXPECT_EQ(chart.all[0].points.size(), 1U);
  const auto svg = to_svg(chart);
  EXPECT_THAT(svg, HasSubstr(">dedicated</text>"));
  EXPECT_THAT(svg, HasSubstr(">idle-only:2</text>"));
}

TEST(GranularityChart, HasACurveForEachScheduler) {
  granularity_setup setup;
  setup.processors = 8;
  setup.work = 100'000;
  setup.finest = 4;
  setup.seeds = 2;
  std::vector<granularity_row> rows;
  for (const auto scheduler : {task_scheduler::fifo, task_scheduler::stealing})
    for (const std::uint32_t factor : {1U, 2U, 4U})
      rows.push_back(study_granularity(setup, scheduler, hint_kind::exact, factor));
  using enum granularity_curve;
  for (const auto what : {time, balance, overhead, tail}) {
    const auto chart = granularity_chart(setup, rows, what);
    ASSERT_EQ(chart.all.size(), what == time ? 3U : 2U);  // with T1/P
    EXPECT_EQ(chart.all[0].name, "fifo");
    EXPECT_EQ(chart.all[1].points.size(), 3U);
  }
}

}  // namespace
