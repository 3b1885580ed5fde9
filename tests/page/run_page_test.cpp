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
  heist::report::write_run_page(out, run);
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
std::vector<Number> column(const nlohmann::json& data, const char* name) {
  const std::string bytes = decoded(data.at("events").at(name));
  EXPECT_EQ(bytes.size() % sizeof(Number), 0U);
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

TEST(RunPage, OfAnEmptyRecordingHasEverything) {
  const auto data = data_of(recording{});
  EXPECT_EQ(data.at("events").at("count"), 0);
  for (const char* name : {"time_ns", "lane", "kind", "name", "a", "b", "value"})
    EXPECT_EQ(data.at("events").at(name), "") << name;
  EXPECT_EQ(data.at("lanes"), nlohmann::json::array());
  EXPECT_EQ(data.at("names"), nlohmann::json::array({""}));
  EXPECT_TRUE(data.at("statistics").is_null());
  EXPECT_TRUE(data.at("profile").is_null());
}

// Counts of events that leave 0, 1 and 2 bytes over, and more than a buffer of the writer.
TEST(RunPage, ColumnsDecodeToWhatWasPutIn) {
  for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 20'000U}) {
    recording run;
    for (std::size_t i = 0; i < count; ++i) {
      const auto n = static_cast<std::uint32_t>(i);
      run.events.push_back({(std::uint64_t{1} << 52) + i, n % 70'000,
                            static_cast<event_kind>(n % heist::trace::event_kinds), n * 3,
                            heist::trace::no_lane - n, n << 16, -0.5 * n});
    }
    const auto data = data_of(run);
    EXPECT_EQ(data.at("events").at("count"), count);
    const auto time = column<double>(data, "time_ns"), value = column<double>(data, "value");
    const auto lane = column<std::uint16_t>(data, "lane");
    const auto kind = column<std::uint8_t>(data, "kind");
    const auto name = column<std::uint32_t>(data, "name"), a = column<std::uint32_t>(data, "a"),
               b = column<std::uint32_t>(data, "b");
    ASSERT_EQ(time.size(), count);
    for (const std::size_t size :
         {value.size(), lane.size(), kind.size(), name.size(), a.size(), b.size()})
      ASSERT_EQ(size, count);
    for (std::size_t i = 0; i < count; ++i) {
      const event& e = run.events[i];
      ASSERT_EQ(time[i], static_cast<double>(e.time_ns));
      ASSERT_EQ(lane[i], e.lane);
      ASSERT_EQ(kind[i], static_cast<std::uint8_t>(e.kind));
      ASSERT_EQ(name[i], e.name);
      ASSERT_EQ(a[i], e.a);
      ASSERT_EQ(b[i], e.b);
      ASSERT_EQ(value[i], e.value);
    }
  }
}

TEST(RunPage, ALaneThatNoColumnHoldsIsNoOtherLane) {
  recording run;
  run.events = {{0, 65'536}, {0, heist::trace::no_lane}};
  EXPECT_THAT(column<std::uint16_t>(data_of(run), "lane"), testing::Each(65'535));
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
  EXPECT_EQ(data.at("program"), bad);
  EXPECT_EQ(data.at("lanes").at(0).at("name"), bad);
  EXPECT_EQ(data.at("lanes").at(0).at("lost_events"), 3);
  EXPECT_EQ(data.at("lanes").at(0).at("is_worker"), false);
  EXPECT_EQ(data.at("names").at(1), bad);
  EXPECT_EQ(data.at("statistics").at(bad), bad);
  EXPECT_EQ(data.at("profile").at("regions").at(0).at("name"), bad);
  // Nothing of the names is anywhere else in the file.
  EXPECT_EQ(page.find("alert(", page.find(raw) + raw.size()), std::string::npos);
}

TEST(RunPage, BytesThatAreNoTextAndNumbersThatAreNoneDontBreakTheData) {
  recording run;
  run.program = "\xff\xfe\x01";
  run.names = {"", std::string("a\0b", 3)};
  run.statistics = {{"name", "\xc3"}, {"value", std::numeric_limits<double>::quiet_NaN()}};
  run.events = {{0, 0, event_kind::counter, 1, 0, 0, std::numeric_limits<double>::infinity()}};
  const auto data = data_of(run);
  EXPECT_EQ(data.at("program"), "\xEF\xBF\xBD\xEF\xBF\xBD\x01");
  EXPECT_EQ(data.at("names").at(1), std::string("a\0b", 3));
  EXPECT_TRUE(data.at("statistics").at("value").is_null());
  EXPECT_EQ(column<double>(data, "value").at(0), std::numeric_limits<double>::infinity());
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
