#include "report/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <heist/error.hpp>

#include "report/dot_plot.hpp"
#include "report/markdown.hpp"

namespace heist::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Target, IsMetUpToItsLimit) {
  target most{"time", "ms", bound::at_most, 2, 2.0, ""};
  EXPECT_TRUE(most.met());
  most.measured = 2.1;
  EXPECT_FALSE(most.met());

  target least{"speedup", "", bound::at_least, 2, 2.0, ""};
  EXPECT_TRUE(least.met());
  least.measured = 1.9;
  EXPECT_FALSE(least.met());
}

TEST(Target, ThatWasNotMeasuredIsNotMet) {
  EXPECT_FALSE((target{"time", "", bound::at_most, 2, {}, "why"}).met());
}

results some_results() {
  results all;
  all.benchmark = "fork_join";
  all.title = "fib(24), \"quoted\"";
  all.is_quick = true;
  all.rounds = 3;
  all.options = {{"n", std::int64_t{24}}, {"table", "loops"}};
  all.on = {.cpu = "some processor",
            .processors = 2,
            .quota = 1.5,
            .kernel = "Linux",
            .compiler = "g++ 12",
            .flags = "-O2",
            .is_optimised = true,
            .load = 0.25};
  all.rows = {
      {"serial", {{"time", "s", samples({0.1, 1.0 / 3, 0.2})}, {"ratio", "", {}}}, "a note"},
      {"rival", {}, "not built in"}};
  all.targets = {{"T1/Ts", "", bound::at_most, 2.2, 1.5, ""},
                 {"T1/T2", "ms", bound::at_least, 1.9, {}, "needs 2 processors"}};
  all.notes = {"first", "second"};
  return all;
}

TEST(Results, AreReadBackAsTheyWereWritten) {
  const auto all = some_results();
  EXPECT_EQ(parse_results(to_json(all), "file"), all);
}

TEST(Results, OfManySamplesKeepTheDistributionOnly) {
  samples many;
  for (int i = 0; i < 1000; ++i) many.add(i);
  auto all = some_results();
  all.rows = {{"row", {{"time", "s", many}}, ""}};
  const auto read = parse_results(to_json(all), "file");
  const auto& values = read.rows[0].measures[0].values;
  EXPECT_EQ(values.count, 1000U);
  EXPECT_EQ(values.median, 499);
  EXPECT_EQ(values.greatest, 999);
  EXPECT_TRUE(values.values.empty());
}

results with_a_chart() {
  auto all = some_results();
  all.source = "a lecture, the figure of <costs>";
  all.charts = {{"times | by size",
                 {.label = "size", .names = {"small", "large"}},
                 {.label = "time", .scale = axis_scale::log10, .least = 0.5, .greatest = 100.0},
                 {{"ours", series_style::line, {{0, 1}, {1, 4, 3.5, 4.5}}},
                  {"theirs", series_style::bars, {{1, 5, {}, 6.0}}},
                  {"limit", series_style::bound, {}}}},
                {"another", {.label = "P", .scale = axis_scale::log2}, {}, {}}};
  return all;
}

TEST(Results, WithChartsAndASourceAreReadBackAsTheyWereWritten) {
  const auto all = with_a_chart();
  EXPECT_EQ(parse_results(to_json(all), "file"), all);
  EXPECT_THAT(to_json(some_results()), Not(HasSubstr("\"charts\"")));
  EXPECT_THAT(to_json(some_results()), Not(HasSubstr("\"source\"")));
}

results with_a_heat_map() {
  auto all = some_results();
  all.heat_maps = {{.title = "ratios",
                    .columns = {"a", "b"},
                    .rows = {"r"},
                    .cells = {{0.5, std::nullopt}},
                    .middle = 2}};
  return all;
}

TEST(Results, KeepTheirHeatMaps) {
  const auto all = with_a_heat_map();
  EXPECT_EQ(parse_results(to_json(all), "file"), all);
  EXPECT_THAT(to_json(some_results()), Not(HasSubstr("\"heat_maps\"")));
  EXPECT_THAT(to_page(all, "command"), HasSubstr("ratios</title>"));
  const auto pictures = pictures_of(all);
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_THAT(to_markdown(all, "command", {"x.svg"}), HasSubstr("![ratios](x.svg)"));
}

// The message that parse_results() refuses the text with; empty if it doesn't.
std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(parse_results(text, "the file"));
  } catch (const usage_error& error) {
    return error.what();
  }
  return {};
}

std::string with(std::string text, const std::string& part, const std::string& other) {
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

TEST(Results, ThatAreNoneAreRefusedWithTheirPlace) {
  const auto good = to_json(some_results());
  EXPECT_THAT(refusal_of(""), HasSubstr("the file:1:1: not JSON"));
  EXPECT_THAT(refusal_of(good.substr(0, good.size() / 2)), HasSubstr("not JSON"));
  EXPECT_THAT(refusal_of("[]"), HasSubstr("the whole is an object, not []"));
  EXPECT_THAT(refusal_of("{}"), HasSubstr("the field 'format' is missing"));
  EXPECT_THAT(refusal_of(with(good, "results 1", "results 2")), HasSubstr("heist results 2"));
  EXPECT_THAT(refusal_of(with(good, "\"quick\":true", "\"quick\":7")),
              HasSubstr("quick is true or false, not 7"));
  EXPECT_THAT(refusal_of(with(good, "\"rounds\":3", "\"rounds\":-3")), HasSubstr("rounds is"));
  EXPECT_THAT(refusal_of(with(good, "\"samples\":3", "\"samples\":\"3\"")),
              HasSubstr("rows[0].measures[0].samples is"));
  EXPECT_THAT(refusal_of(with(good, "\"at least\"", "\"about\"")), HasSubstr("'about'"));
  EXPECT_THAT(refusal_of(with(good, "\"processors\":2,", "")),
              HasSubstr("the field 'machine.processors' is missing"));
  const auto drawn = to_json(with_a_chart());
  EXPECT_EQ(refusal_of(drawn), "");
  EXPECT_THAT(refusal_of(with(drawn, "\"bars\"", "\"pies\"")),
              HasSubstr("charts[0].series[1].style is one of line, points, bars, bound, not"));
  EXPECT_THAT(refusal_of(with(drawn, "\"y\":4.0,", "")),
              HasSubstr("the field 'charts[0].series[0].points[1].y' is missing"));
  EXPECT_THAT(refusal_of(with(drawn, "\"least\":0.5", "\"least\":[]")),
              HasSubstr("charts[0].y.least is a number, not []"));
}

TEST(Results, OfAFileThatIsNotThereAreRefused) {
  EXPECT_THROW(static_cast<void>(read_results("/nonexistent/results.json")), resource_error);
}

TEST(Results, AsTextHaveARowForEachContestantAndALineForEachTarget) {
  const auto text = to_text(some_results());
  EXPECT_THAT(text, HasSubstr("serial  time 0.200 s (0.100 to 0.333)  ratio -  a note\n"));
  EXPECT_THAT(text, HasSubstr("rival"));
  EXPECT_THAT(text, HasSubstr("target: T1/Ts: at most 2.200: 1.500, met\n"));
  EXPECT_THAT(text, HasSubstr("target: T1/T2: at least 1.900 ms: not measured (needs"));
  EXPECT_THAT(text, HasSubstr("a quick run"));
}

TEST(Results, AsTextNameTheirSourceOnALine) {
  EXPECT_THAT(to_text(with_a_chart()), HasSubstr("  source: a lecture, the figure of <costs>\n"));
  EXPECT_THAT(to_text(some_results()), Not(HasSubstr("source")));
}

TEST(Results, AsCsvHaveALineForEachMeasure) {
  EXPECT_EQ(to_csv(some_results()),
            "row,measure,unit,samples,median,least,greatest,p90,note\n"
            "serial,time,s,3,0.2,0.1,0.3333333333,0.2,a note\n"
            "serial,ratio,,0,,,,,a note\n"
            "rival,,,0,,,,,not built in\n");
}

TEST(Results, AsAPageShowTheRowsThatShareAMeasureInOnePlot) {
  auto all = some_results();
  EXPECT_THAT(to_page(all, "heist"), Not(HasSubstr("<svg")));  // a plot needs two rows
  all.rows.push_back({"heist <1>", {{"time", "s", samples({0.4, 0.5})}}, ""});
  const auto page = to_page(all, "heist bench");
  EXPECT_THAT(page, HasSubstr("<title>time (s)</title>"));
  EXPECT_THAT(page, HasSubstr("heist &lt;1&gt;"));
  EXPECT_THAT(page, HasSubstr("needs 2 processors"));
  EXPECT_THAT(page, HasSubstr("heist results 1"));
}

TEST(Results, AsAPageShowTheChartsFirst) {
  auto all = with_a_chart();
  all.rows.push_back({"heist", {{"time", "s", samples({0.4, 0.5})}}, ""});
  const auto page = to_page(all, "heist");
  const auto chart = page.find("<title>times | by size</title>");
  const auto plot = page.find("<title>time (s)</title>");
  ASSERT_NE(plot, std::string::npos);
  EXPECT_LT(chart, plot);
  EXPECT_THAT(page, HasSubstr("the figure of &lt;costs&gt;."));
  EXPECT_EQ(pictures_of(all).size(), 2U);
  all.charts.clear();
  EXPECT_THAT(pictures_of(all), testing::ElementsAre(HasSubstr("<title>time (s)</title>")));
}

TEST(Results, AsMarkdownHaveATableForEachGroup) {
  auto all = with_a_chart();
  all.rows.push_back({"a|b", {{"time", "s", samples({0.4, 0.5})}}, "", "second group"});
  const auto page = to_markdown(all, "heist bench x", {"x-1.svg", "x-2.svg"});
  EXPECT_THAT(page,
              HasSubstr("# fork_join\n\nfib(24), \"quoted\".\n\nSource: a lecture, the figure "
                        "of \\<costs>.\n\nMachine: some processor; 2 processors"));
  EXPECT_THAT(page, HasSubstr("```sh\nheist bench x\n```\n"));
  EXPECT_THAT(page, HasSubstr("![times \\| by size](x-1.svg)\n\n![another](x-2.svg)\n"));
  EXPECT_THAT(page, HasSubstr("|  | time, s | ratio | note |\n| --- | ---: | ---: | --- |\n"
                              "| serial | 0.200 (0.100 to 0.333) |  | a note |\n"
                              "| rival |  |  | not built in |\n"));
  EXPECT_THAT(page, HasSubstr("### second group\n\n|  | time, s |\n| --- | ---: |\n"
                              "| a\\|b | 0.400 (0.400 to 0.500) |\n"));
  EXPECT_THAT(page, HasSubstr("| T1/Ts | at most 2.200 | 1.500 | met |  |\n"));
  EXPECT_THAT(page, HasSubstr("| T1/T2 | at least 1.900 ms |  | not measured | needs 2 proc"));
  EXPECT_THAT(page, HasSubstr("## What differs, and why\n\nfirst.\n\nsecond.\n"));
  EXPECT_THAT(page, HasSubstr("a quick run"));
}

// Steps that are lost in the rounding of large numbers must not be counted for ever.
TEST(Chart, OfLargeNumbersThatHardlyDifferIsDrawn) {
  const chart what{"large", {}, {}, {{"", series_style::line, {{0, 1e17}, {1, 1e17 + 32}}}}};
  EXPECT_THAT(to_svg(what), HasSubstr("</svg>"));
}

TEST(DotPlot, StandsValuesInOrderOnItsAxis) {
  dot_plot plot{.title = "times"};
  plot.x.scale = axis_scale::log10;
  plot.dots = {{"one", 1}, {"ten", 10}, {"none", 0}};
  plot.reference = 1;
  const auto svg = to_svg(plot);
  EXPECT_THAT(svg, HasSubstr(">ten</text>"));
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray"));
  EXPECT_THAT(svg, HasSubstr(">-</text>"));  // a logarithmic axis has no place for 0
}

}  // namespace
}  // namespace heist::report
