// Columns: what each format makes of a row.
#include "report/columns.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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
