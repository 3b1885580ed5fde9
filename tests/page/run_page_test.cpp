// The file of a run's page: that it holds what the recording holds, and that nothing in a name gets
// out of its place.
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/run_page.hpp"

namespace {

using heist::trace::event;
using heist::trace::event_kind;
using heist::trace::recording;
using testing::HasSubstr;
using testing::Not;

std::string page_of(const recording& run) {
  std::ostringstream out;
  heist::report::write_run_page(out, run, heist::trace::summarise(run));
  return out.str();
}

constexpr std::string_view data_begin = R"(<script type="application/json" id="run">)";

// The data as a browser takes it out of the file: up to the first end tag.
std::string data_of(const std::string& page) {
  const auto begin = page.find(data_begin) + data_begin.size();
  return page.substr(begin, page.find("</script", begin) - begin);
}

nlohmann::json data_of(const recording& run) {
  return nlohmann::json::parse(data_of(page_of(run)));
}

std::string decoded(const std::string& base64) {
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  EXPECT_EQ(base64.size() % 4, 0U);
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : base64) {
    if (c == '=') break;
    const auto six = alphabet.find(c);
    EXPECT_NE(six, std::string_view::npos);
    bits = bits << 6 | static_cast<std::uint32_t>(six);
    held += 6;
    if (held >= 8) bytes += static_cast<char>(bits >> (held -= 8) & 0xff);
  }
  return bytes;
}

// The numbers of a column; this machine's order of bytes is the file's.
template <class Number>
std::vector<Number> column(const nlohmann::json& of, const char* name) {
  const std::string bytes = decoded(of.at(name));
  EXPECT_EQ(bytes.size() % sizeof(Number), 0U);
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

TEST(RunPage, OfAnEmptyRecordingHasEverything) {
  const auto data = data_of(recording{});
  for (const char* table : {"slices", "steals"}) EXPECT_EQ(data.at(table).at("count"), 0);
  for (const char* name : {"begin_ns", "end_ns", "lane", "state", "region", "why"})
    EXPECT_EQ(data.at("slices").at(name), "") << name;
  for (const char* name : {"time_ns", "thief", "victim", "depth"})
    EXPECT_EQ(data.at("steals").at(name), "") << name;
  EXPECT_EQ(data.at("counters"), nlohmann::json::array());
  EXPECT_EQ(data.at("names"), nlohmann::json::array({""}));
  EXPECT_TRUE(data.at("statistics").is_null());
  EXPECT_TRUE(data.at("profile").is_null());
}

TEST(RunPage, HoldsWhatTheCommandSays) {
  recording run;
  run.duration_ns = 1'000;
  run.lanes = {{"heist/0", 0, 0, true, 0}, {"heist/1", 0, 1, true, 0}};
  run.events = {{0, 0, event_kind::job_begin, 0, 1}, {0, 1, event_kind::idle_begin}};
  const auto said = heist::trace::to_json(run, heist::trace::summarise(run));
  EXPECT_EQ(said.at("findings").at(0).at("key"), "serial_phase");
  EXPECT_EQ(data_of(run).at("report"), said);
}

// Counts of rows that leave 0, 1 and 2 bytes over, and more than a buffer of the writer.
TEST(RunPage, ColumnsDecodeToWhatWasPutIn) {
  constexpr std::uint32_t lanes = 300;
  for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 20'000U}) {
    recording run;
    for (std::uint32_t i = 0; i < lanes; ++i) run.lanes.push_back({"", 0, i, true, 0});
    for (std::size_t i = 0; i < count; ++i) {
      const auto n = static_cast<std::uint32_t>(i);
      run.events.push_back({(std::uint64_t{1} << 52) + i, n % lanes, event_kind::steal, 0,
                            n % 7 == 0 ? heist::trace::no_lane : n % 11, n << 16, 1});
    }
    const auto steals = data_of(run).at("steals");
    EXPECT_EQ(steals.at("count"), count);
    const auto time = column<double>(steals, "time_ns");
    const auto thief = column<std::uint16_t>(steals, "thief");
    const auto victim = column<std::uint16_t>(steals, "victim");
    const auto depth = column<std::uint32_t>(steals, "depth");
    for (const std::size_t size : {time.size(), thief.size(), victim.size(), depth.size()})
      ASSERT_EQ(size, count);
    for (std::size_t i = 0; i < count; ++i) {
      const event& e = run.events[i];
      ASSERT_EQ(time[i], static_cast<double>(e.time_ns));
      ASSERT_EQ(thief[i], e.lane);
      ASSERT_EQ(victim[i], e.a == heist::trace::no_lane ? 65'535 : e.a);
      ASSERT_EQ(depth[i], e.b);
    }
  }
}

TEST(RunPage, SlicesAreThoseOfTheLanes) {
  recording run;
  run.duration_ns = 100;
  run.names = {"", "parse"};
  run.lanes = {{"heist/0", 0, 0, true, 0}, {"main", 0, 0, false, 0}};
  run.events = {{0, 0, event_kind::idle_begin},
                {5, 1, event_kind::region_begin, 1},
                {10, 0, event_kind::park},
                {40, 0, event_kind::idle_end, 0, 3},
                {40, 0, event_kind::job_begin, 1, 1},
                {60, 1, event_kind::region_end, 1}};
  const auto slices = data_of(run).at("slices");
  EXPECT_THAT(column<double>(slices, "begin_ns"), testing::ElementsAre(0, 10, 40, 5));
  EXPECT_THAT(column<double>(slices, "end_ns"), testing::ElementsAre(10, 40, 100, 60));
  EXPECT_THAT(column<std::uint16_t>(slices, "lane"), testing::ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(column<std::uint8_t>(slices, "state"), testing::ElementsAre(1, 2, 0, 4));
  EXPECT_THAT(column<std::uint32_t>(slices, "region"), testing::ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(column<std::uint8_t>(slices, "why"), testing::ElementsAre(3, 3, 0, 0));
}

TEST(RunPage, ACounterIsThinnedOut) {
  recording run;
  run.lanes = {{"", 0, 0, true, 0}};
  run.names = {"", "items"};
  for (unsigned i = 0; i < 5'000; ++i)
    run.events.push_back({i, 0, event_kind::counter, 1, 0, 0, 2.0 * i});
  const auto counter = data_of(run).at("counters").at(0);
  EXPECT_EQ(counter.at("name"), "items");
  EXPECT_EQ(counter.at("all"), 5'000);
  const auto values = column<double>(counter.at("values"), "value");
  ASSERT_EQ(values.size(), 2'500U);
  EXPECT_EQ(values.at(1), 4);
}

// Of a large run what is short is summed up: it has its share of the time, and the page is small.
TEST(RunPage, ManySlicesAreSummedUp) {
  constexpr std::uint64_t rounds = 200'000;
  recording run;
  run.duration_ns = 4 * rounds;
  run.names = {"", "parse"};
  run.lanes = {{"heist/0", 0, 0, true, 0}, {"heist/1", 0, 1, true, 0}};
  run.events = {{0, 0, event_kind::job_begin, 0, 1}, {0, 1, event_kind::idle_begin}};
  for (std::uint64_t i = 0; i < rounds; ++i) {
    run.events.push_back({4 * i, 0, event_kind::region_begin, 1});
    run.events.push_back({4 * i + 3, 0, event_kind::region_end, 1});
  }
  const auto data = data_of(run);
  EXPECT_GT(data.at("while_ns").get<double>(), 0);
  const auto& slices = data.at("slices");
  EXPECT_LT(slices.at("count").get<std::size_t>(), 10'000U);
  const auto begin = column<double>(slices, "begin_ns");
  const auto end = column<double>(slices, "end_ns");
  const auto region = column<std::uint32_t>(slices, "region");
  const auto lane = column<std::uint16_t>(slices, "lane");
  double parsed = 0;
  double idle = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (lane[i] == 1) idle += end[i] - begin[i];
    if (region[i] == 1) parsed += end[i] - begin[i];
    if (i > 0 && lane[i] == lane[i - 1]) {
      EXPECT_EQ(begin[i], end[i - 1]);
    }
  }
  EXPECT_EQ(parsed, 3.0 * rounds);
  EXPECT_EQ(idle, 4.0 * rounds);
  EXPECT_EQ(lane.back(), 1);
  EXPECT_EQ(lane[lane.size() - 2], 0);  // one slice
}

TEST(RunPage, MarkupInNamesStaysText) {
  const std::string bad = "</script><!--<script>alert(\"1\")</script>";
  recording run;
  run.program = run.machine = run.version = run.clock = bad;
  run.lanes = {{bad, 1, 2, false, 3}};
  run.names = {"", bad};
  run.statistics = {{bad, bad}};
  run.profile = {{"regions", {{{"name", bad}}}}};
  const auto page = page_of(run);
  const auto raw = data_of(page);
  EXPECT_THAT(raw, Not(HasSubstr("<")));
  const auto data = nlohmann::json::parse(raw);
  const auto& report = data.at("report");
  EXPECT_EQ(report.at("program"), bad);
  EXPECT_EQ(report.at("lanes").at(0).at("name"), bad);
  EXPECT_EQ(report.at("lanes").at(0).at("lost_events"), 3);
  EXPECT_EQ(report.at("lanes").at(0).at("is_worker"), false);
  EXPECT_EQ(data.at("names").at(1), bad);
  EXPECT_EQ(data.at("statistics").at(bad), bad);
  EXPECT_EQ(data.at("profile").at("regions").at(0).at("name"), bad);
  // Nothing of the names is anywhere else in the file.
  EXPECT_EQ(page.find("alert(", page.find(raw) + raw.size()), std::string::npos);
}

TEST(RunPage, BytesThatAreNoTextAndNumbersThatAreNoneDontBreakTheData) {
  recording run;
  run.program = "\xff\xfe\x01";
  run.lanes = {{"", 0, 0, true, 0}};
  run.names = {"", std::string("a\0b", 3)};
  run.statistics = {{"name", "\xc3"}, {"value", std::numeric_limits<double>::quiet_NaN()}};
  run.events = {{0, 0, event_kind::counter, 1, 0, 0, std::numeric_limits<double>::infinity()}};
  const auto data = data_of(run);
  EXPECT_EQ(data.at("report").at("program"), "\xEF\xBF\xBD\xEF\xBF\xBD\x01");
  EXPECT_EQ(data.at("names").at(1), std::string("a\0b", 3));
  EXPECT_TRUE(data.at("statistics").at("value").is_null());
  const auto& values = data.at("counters").at(0).at("values");
  EXPECT_EQ(column<double>(values, "value").at(0), std::numeric_limits<double>::infinity());
}

TEST(RunPage, LoadsNothingAndNamesTheLicenceOfItsLibrary) {
  const auto page = page_of(recording{});
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("Permission is hereby granted, free of charge"));
  EXPECT_THAT(page, HasSubstr("Leon Sorokin"));
  for (const char* part : {" src=", " href=", "@import", "url(", "@RUN@", "@SCRIPT@"})
    EXPECT_THAT(page, Not(HasSubstr(part)));
}

}  // namespace
