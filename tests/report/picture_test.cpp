// Tables, charts and pages: what is in them, and that nothing in a name can get out of its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "report/chart.hpp"
#include "report/columns.hpp"
#include "report/heat_map.hpp"
#include "report/markup.hpp"
#include "report/page.hpp"
#include "report/table.hpp"
#include "tests/lab/support.hpp"

namespace {

using heist::report::axis_scale;
using heist::report::chart;
using heist::report::escape_markup;
using heist::report::figure;
using heist::report::page;
using heist::report::series_style;
using heist::report::table;
using heist::report::to_csv;
using heist::report::to_html;
using heist::report::to_svg;
using heist::report::to_text;
using heist_test::count;
using testing::HasSubstr;
using testing::Not;

TEST(Markup, EscapesWhatWouldEndAnElementOrAnAttribute) {
  EXPECT_EQ(escape_markup("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
  EXPECT_EQ(escape_markup("\xCE\x93"), "\xCE\x93");  // a Greek letter stays
}

TEST(Markup, ReplacesWhatIsNoText) {
  const std::string instead = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_markup(std::string("a\0b", 3)), "a" + instead + "b");
  EXPECT_EQ(escape_markup("\x1B["), instead + "[");
  EXPECT_EQ(escape_markup("\xFFz"), instead + "z");
  EXPECT_EQ(escape_markup("\xC0\x80"), instead + instead);                // overlong
  EXPECT_EQ(escape_markup("\xED\xA0\x80"), instead + instead + instead);  // a surrogate
  EXPECT_EQ(escape_markup("\xE2\x82"), instead + instead);                // cut short
}

TEST(Markup, FiguresAreShort) {
  EXPECT_EQ(figure(0), "0");
  EXPECT_EQ(figure(1048576), "1048576");
  EXPECT_EQ(figure(0.123456), "0.1235");
  EXPECT_EQ(figure(12345.67), "12345.7");
  EXPECT_EQ(figure(1e20), "1.000e+20");
  EXPECT_EQ(figure(1.5e-7), "1.500e-07");
  EXPECT_EQ(figure(INFINITY), "inf");
}

const table example{"", {"name", "P"}, {{"one", "2"}, {"a,\"b\"", "1024"}}};

TEST(Table, AlignsColumns) {
  EXPECT_EQ(to_text(example),
            "name      P\n"
            "one       2\n"
            "a,\"b\"  1024\n");
}

TEST(Table, GreekLettersTakeOnePlace) {
  EXPECT_EQ(to_text({"", {"\xCE\x93", "x"}, {{"ab", "cd"}}}), "\xCE\x93   x\nab  cd\n");
}

TEST(Table, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(to_csv(example), "name,P\none,2\n\"a,\"\"b\"\"\",1024\n");
}

TEST(Table, HtmlEscapes) {
  const auto html = to_html({"<t>", {"c"}, {{"<script>"}}});
  EXPECT_THAT(html, HasSubstr("<td>&lt;script&gt;</td>"));
  EXPECT_THAT(html, HasSubstr("<caption>&lt;t&gt;</caption>"));
}

chart speedup() {
  return {"speedup",
          {"P", axis_scale::log2},
          {"T1/TP"},
          {{"fib", series_style::line, {{1, 1}, {2, 1.9, 1.8, 2.0}, {4, 3.6}}},
           {"bound", series_style::bound, {{1, 1}, {4, 4}}}}};
}

TEST(Chart, ShowsItsSeriesAxesAndLegend) {
  const auto svg = to_svg(speedup());
  for (const char* part : {"<svg xmlns=", "speedup</title>", ">P</text>", ">T1/TP</text>",
                           ">fib</text>", ">bound</text>", "stroke-dasharray", "</svg>"})
    EXPECT_THAT(svg, HasSubstr(part));
  EXPECT_EQ(count(svg, "<circle"), 3U + 1U);  // three points and the legend
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_EQ(svg, to_svg(speedup()));
}

TEST(Chart, ADoublingIsTheSameDistanceOnALogarithmicAxis) {
  chart points{"", {"x", axis_scale::log2}, {"y"}, {{"", series_style::points, {}}}};
  for (const double x : {1.0, 2.0, 4.0}) points.all[0].points.push_back({x, 1});
  const auto svg = to_svg(points);
  // From the left edge over the middle to the right one.
  EXPECT_THAT(svg, HasSubstr("cx=\"76.0\""));
  EXPECT_THAT(svg, HasSubstr("cx=\"406.0\""));
  EXPECT_THAT(svg, HasSubstr("cx=\"736.0\""));
}

TEST(Chart, LeavesOutWhatAnAxisCantShow) {
  auto odd = speedup();
  odd.x.scale = axis_scale::log10;
  odd.all[0].points = {{0, 1}, {-1, 2}, {NAN, 3}, {1, INFINITY}, {10, 5}};
  const auto svg = to_svg(odd);
  EXPECT_EQ(count(svg, "<circle"), 1U + 1U);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

using heist::report::heat_map;

heat_map ratios() {
  return {.title = "to the best",
          .columns = {"4 bytes", "<64>"},
          .rows = {"random", "sorted"},
          .cells = {{0.25, 1.0}, {4.0, std::nullopt}}};
}

// The colour of the cell that shows this text: of the rectangle before it.
std::string fill_of_cell(const std::string& svg, const std::string& shown) {
  const auto text = svg.find(">" + shown + "</text>");
  const auto fill = svg.rfind("<rect", text);
  const auto from = svg.find("fill=\"", fill) + 6;
  return svg.substr(from, 7);
}

TEST(HeatMap, ShowsEachNumberInAColourBelowAtOrAboveTheMiddle) {
  const auto svg = to_svg(ratios());
  for (const char* part : {">4 bytes</text>", ">&lt;64&gt;</text>", ">random</text>",
                           ">sorted</text>", ">0.25</text>", ">1.00</text>", ">4.00</text>"})
    EXPECT_THAT(svg, HasSubstr(part));
  const auto below = fill_of_cell(svg, "0.25"), middle = fill_of_cell(svg, "1.00"),
             above = fill_of_cell(svg, "4.00");
  const auto channel = [](const std::string& colour, std::size_t i) {
    return std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16);
  };
  EXPECT_GT(channel(below, 2), channel(below, 0) + 100);  // blue
  EXPECT_GT(channel(above, 0), channel(above, 2) + 100);  // orange
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(channel(middle, i), 230);
  EXPECT_EQ(count(svg, ">-</text>"), 1U);  // no figure
}

TEST(HeatMap, EqualFactorsBelowAndAboveAreEquallyFar) {
  auto map = ratios();
  map.cells = {{0.01, 0.25}, {400, 4}};  // beyond the end of the colours nothing gets stronger
  const auto svg = to_svg(map);
  EXPECT_EQ(fill_of_cell(svg, "0.01"), fill_of_cell(svg, "0.25"));
  EXPECT_EQ(fill_of_cell(svg, "400"), fill_of_cell(svg, "4.00"));
  map.middle = 0.25;
  EXPECT_EQ(fill_of_cell(to_svg(map), "0.25"), fill_of_cell(to_svg(ratios()), "1.00"));
}

TEST(HeatMap, LeavesOutWhatHasNoColour) {
  auto map = ratios();
  map.cells = {{NAN, 0.0}, {-1.0}};  // and a row that is too short
  const auto svg = to_svg(map);
  EXPECT_EQ(count(svg, ">-</text>"), 4U);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(to_svg(heat_map{.title = "empty"}), HasSubstr("empty</title>"));
}

TEST(Chart, WithoutDataSaysSo) {
  EXPECT_THAT(to_svg(chart{"empty", {"x"}, {"y"}, {}}), HasSubstr(">no data</text>"));
}

TEST(Chart, OnePointOrEqualValuesHaveAPlace) {
  for (const auto scale : {axis_scale::linear, axis_scale::log10, axis_scale::log2})
    for (const double value : {0.0, 1.0, -5.0, 1e300}) {
      chart one{"", {"x", scale}, {"y", scale}, {{"", series_style::points, {{value, value}}}}};
      const auto svg = to_svg(one);
      EXPECT_THAT(svg, Not(HasSubstr("nan"))) << value;
      const bool visible = scale == axis_scale::linear || value > 0;
      EXPECT_EQ(count(svg, "<circle"), visible ? 1U : 0U) << value;
    }
}

TEST(Chart, EscapesNames) {
  auto hostile = speedup();
  hostile.title = "</title><script>alert(1)</script>";
  hostile.all[0].name = "<b>";
  EXPECT_THAT(to_svg(hostile), Not(HasSubstr("<script")));
  EXPECT_THAT(to_svg(hostile), Not(HasSubstr("<b>")));
}

// A browser breaks lines at hyphens: 1.2e-05 would stand on two.
TEST(Page, NumbersAreNotBroken) {
  const auto html = page("numbers", "").add(table{"", {"s"}, {{"1.2e-05"}}}).html();
  EXPECT_THAT(html, HasSubstr("td.number{white-space:nowrap}"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">1.2e-05</td>"));
}

TEST(Page, HasItsPartsInOrderAndNothingFromElsewhere) {
  page what("Title <1>", "heist theory recycling -P 4");
  what.paragraph("see").add(speedup(), "caption").add(example).data("{\"a\":\"</pre>\"}");
  const auto html = what.html();
  EXPECT_LT(html.find("Title &lt;1&gt;</h1>"), html.find("heist theory recycling -P 4</pre>"));
  EXPECT_LT(html.find("<p>see</p>"), html.find("<svg"));
  EXPECT_LT(html.find("caption</figcaption>"), html.find("<table>"));
  EXPECT_LT(html.find("<table>"), html.find("<details>"));
  EXPECT_THAT(html, HasSubstr("{&quot;a&quot;:&quot;&lt;/pre&gt;&quot;}"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  EXPECT_THAT(html, Not(HasSubstr("href=")));
}

}  // namespace

// ---- Columns: what each format makes of a row.

namespace {

using heist::report::column;
using heist::report::columns;
using heist::report::json_object;
using heist::report::json_style;
using heist::report::left_out;
using heist::report::members;
using heist::report::number_format;
using heist::report::side;
using heist::report::summarize;
using heist::report::summary;
using heist::report::table_style;
using heist::report::value;
using heist::report::view;

struct row {
  std::string name;
  double share = 0;
  bool holds = false;
};

std::vector<column<row>> all() {
  return {
      {.key = "name",
       .heading = "",
       .get = [](const row& r) { return value(r.name); },
       .width = 6,
       .to = side::left},
      {.key = "share",
       .heading = "of all",
       .get = [](const row& r) { return value(r.share); },
       .format = {number_format::percent, 1},
       .json = "part",
       .csv = number_format{.digits = 3}},
      {"holds", "holds", [](const row& r) { return value(r.holds); }, 8},
  };
}

const view shown = {"name", "share", "holds"};

// The format of the only column.
std::string text_of(double number, number_format format) {
  return heist::report::text_cell(value(number), format);
}

TEST(Columns, EachFormatShowsARowInItsWay) {
  const columns<row> of(all());
  const row r{"a,b", 0.25, true};
  EXPECT_EQ(of.text_head(shown), "      of all   holds\n");
  EXPECT_EQ(of.text_line(shown, r), "a,b    25.0%     yes\n");
  EXPECT_EQ(of.csv_head(shown), "name,share,holds\n");
  EXPECT_EQ(of.csv_line(shown, r), "\"a,b\",0.250,yes\n");
  EXPECT_EQ(of.json_line(shown, r), R"({"name":"a,b","part":0.25,"holds":true})");
}

TEST(Columns, AGapStandsBesideCellsThatAreTooLong) {
  const columns<row> of(all(), {.gap = 2, .least_width = 7});
  EXPECT_EQ(of.text_head(shown), "          of all     holds\n");
  EXPECT_EQ(of.text_line(shown, {"much too long", 1, false}), "much too long   100.0%        no\n");
}

TEST(Columns, CsvAndPagesCanHaveTheCellsOfATerminal) {
  const columns<row> of(all(), {.cells = table_style::as_in_text});
  EXPECT_EQ(of.csv_head(shown), ",of all,holds\n");
  EXPECT_EQ(of.csv_line(shown, {"a", 0.12345, false}), "a,12.3%,no\n");
  EXPECT_EQ(of.page_table(shown, {{"a", 0.12345, true}}).rows[0],
            (std::vector<std::string>{"a", "12.3%", "yes"}));
}

TEST(Columns, NumbersHaveTheFormatsThatAreAskedFor) {
  EXPECT_EQ(text_of(1234.5678, {.digits = 2}), "1234.57");
  EXPECT_EQ(text_of(1234.5678, {number_format::general, 3}), "1.23e+03");
  EXPECT_EQ(text_of(0.126, {number_format::signed_percent, 1}), "+12.6%");
  EXPECT_EQ(text_of(-0.126, {number_format::signed_percent, 1}), "-12.6%");
  EXPECT_EQ(text_of(12.345678, {number_format::figure}), "12.35");
}

TEST(Json, HasTwoStyles) {
  const members object = {
      {"whole", 3.0}, {"half", 0.5}, {"none", value()}, {"infinite", value(1e308 * 10)}};
  EXPECT_EQ(json_object(object), R"({"whole":3.0,"half":0.5,"none":null,"infinite":null})");
  EXPECT_EQ(json_object(object, json_style::spaced),
            R"({"whole": 3, "half": 0.5, "none": null, "infinite": null})");
}

TEST(Json, LeavesOutWhatHasNothingToTell) {
  EXPECT_EQ(json_object({{"a", left_out()}, {"b", summary()}, {"c", std::uint64_t{1}}}),
            R"({"c":1})");
  EXPECT_EQ(heist::report::text_cell(left_out(), {}), "-");
  EXPECT_EQ(heist::report::csv_cell(left_out()), "");
}

TEST(Json, NestsObjectsAndArrays) {
  const members inner = {{"x", std::uint64_t{1}}};
  const members object = {{"one", inner}, {"all", std::vector<members>{inner, {}}}};
  EXPECT_EQ(json_object(object), R"({"one":{"x":1},"all":[{"x":1},{}]})");
  EXPECT_EQ(json_object(object, json_style::spaced), R"({"one": {"x": 1}, "all": [{"x": 1}, {}]})");
}

TEST(Json, AMeanHasItsSpread) {
  const auto of = summarize(std::vector<double>{2, 2});
  EXPECT_EQ(json_object({{"s", of}}),
            R"({"s":{"mean":2.0,"least":2.0,"greatest":2.0,"low_95":2.0,"high_95":2.0}})");
  EXPECT_EQ(json_object({{"s", of}}, json_style::spaced),
            R"({"s": {"mean": 2, "low_95": 2, "high_95": 2, "least": 2, "greatest": 2}})");
}

TEST(Json, EscapesStrings) {
  for (const auto style : {json_style::compact, json_style::spaced})
    EXPECT_EQ(json_object({{"a", std::string("\"\xFF")}}, style).substr(4).find("\\\"\xEF\xBF\xBD"),
              style == json_style::compact ? 2U : 3U);
}

}  // namespace
