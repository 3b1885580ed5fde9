// Files with costs: good ones, and whatever else comes as one.
#include "lab/engines/cost_model.hpp"

#include <random>

#include <gmock/gmock.h>

#include <heist/error.hpp>

using heist::lab::cost_model;
using heist::lab::costs_from_file;
using heist::lab::costs_from_json;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

const std::string folder = HEIST_COSTS_FOLDER;

std::string with(const std::string& costs, const std::string& rest = "") {
  return R"({"format": "heist costs 1", "costs": {)" + costs + "}" + rest + "}";
}
const std::string required =
    R"("fork_ns": 1, "steal_ns": 2, "failed_attempt_ns": 3, "suspend_ns": 4, "wake_ns": 5)";

// One line that begins with the file's name.
std::string complaint(const std::string& text) {
  try {
    static_cast<void>(costs_from_json(text, "c.json"));
  } catch (const heist::usage_error& error) {
    EXPECT_THAT(error.what(), StartsWith("c.json:"));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST(CostModel, ReadsNumbersAndMedians) {
  const auto costs = costs_from_file(folder + "/example.json");
  EXPECT_EQ(costs.instruction_ns, 1);
  EXPECT_EQ(costs.fork_ns, 3);
  EXPECT_EQ(costs.steal_ns, 200);
  EXPECT_EQ(costs.quiet_steal_ns, 20000);
  EXPECT_EQ(costs.awake_ns, 100000);
  EXPECT_EQ(costs.busy_factor, 1.1);
  EXPECT_TRUE(costs.distances.empty());
}

TEST(CostModel, WhatIsNotGivenHasAMeaning) {
  const auto costs = costs_from_json(with(required), "c.json");
  EXPECT_EQ(costs.quiet_steal_ns, costs.steal_ns);
  EXPECT_EQ(costs.instruction_ns, 1);
  EXPECT_EQ(costs.busy_factor, 1);
  EXPECT_EQ(costs.waking_ns, 0);
  EXPECT_EQ(costs.awake_ns, std::nullopt);
}

TEST(CostModel, ReadsDistances) {
  const auto costs = costs_from_json(with(required, R"(, "distances": [
        {"name": "cache", "processors": 4, "steal_ns": 1, "failed_attempt_ns": 2},
        {"processors": 64, "steal_ns": {"median": 10}, "failed_attempt_ns": 20}])"),
                                     "c.json");
  ASSERT_EQ(costs.distances.size(), 2u);
  EXPECT_EQ(costs.distances[1].processors, 64u);
  EXPECT_EQ(costs.distances[1].steal_ns, 10);
}

TEST(CostModel, HasTheDoubtsOfTheFile) {
  const auto costs = costs_from_json(with(required, R"(, "doubts": ["a\nb", "c"])"), "c.json");
  EXPECT_EQ(costs.doubts, (std::vector<std::string>{"a?b", "c"}));
  EXPECT_THAT(complaint(with(required, R"(, "doubts": [1])")), HasSubstr("doubts[0] is a text"));
}

TEST(CostModel, NamesTheFieldThatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"[]", "the whole is an object, not []"},
      {"{}", "the field 'format' is missing"},
      {R"({"format": "heist costs 2", "costs": {}})",
       R"(format is 'heist costs 1', not "heist costs 2")"},
      {R"({"format": 1, "costs": {}})", "format is 'heist costs 1', not 1"},
      {R"({"format": "heist costs 1"})", "the field 'costs' is missing"},
      {R"({"format": "heist costs 1", "costs": 3})", "costs is an object, not 3"},
      {with(""), "the field 'costs.fork_ns' is missing"},
      {with(R"("fork_ns": 1, "steal_ns": 2)"), "the field 'costs.failed_attempt_ns' is missing"},
      {with(required + R"(, "stael_ns": 1)"), "unknown field 'costs.stael_ns'"},
      {with(required, R"(, "x": 1)"), "unknown field 'x'"},
      {with(required + R"(, "waking_ns": -1)"),
       "costs.waking_ns is a number from 0 to 1e+09, not -1"},
      {with(required + R"(, "waking_ns": 1e10)"), "costs.waking_ns is a number"},
      {with(required + R"(, "waking_ns": "1")"),
       R"(costs.waking_ns is a number from 0 to 1e+09, not "1")"},
      {with(required + R"(, "waking_ns": null)"), "costs.waking_ns is a number"},
      {with(required + R"(, "waking_ns": true)"), "costs.waking_ns is a number"},
      {with(required + R"(, "waking_ns": [])"), "costs.waking_ns is a number"},
      {with(required + R"(, "waking_ns": {})"), "the field 'costs.waking_ns.median' is missing"},
      {with(required + R"(, "waking_ns": {"median": -3})"), "costs.waking_ns.median is a number"},
      {with(required + R"(, "instruction_ns": 0)"), "costs.instruction_ns is a number from 0.001"},
      {with(required + R"(, "busy_factor": 1e9)"),
       "costs.busy_factor is a number from 0.1 to 1000"},
      {with(
           R"("fork_ns": 1, "steal_ns": 2, "failed_attempt_ns": 0, "suspend_ns": 4, "wake_ns": 5)"),
       "costs.failed_attempt_ns is a number from 1"},
      {with(required + R"(, "fork_ns": 2)"), "field 'fork_ns' stands twice"},
      {with(required, R"(, "distances": [])"), "distances is an array of 1 to 16 objects"},
      {with(required, R"(, "distances": [3])"), "distances[0] is an object, not 3"},
      {with(required, R"(, "distances": [{"processors": 2}])"),
       "'distances[0].steal_ns' is missing"},
      {with(required,
            R"(, "distances": [{"processors": 2.5, "steal_ns": 1, "failed_attempt_ns": 1}])"),
       "distances[0].processors is a whole number"},
      {with(required, R"(, "distances": [{"processors": 4, "steal_ns": 1, "failed_attempt_ns": 1},
                                          {"processors": 4, "steal_ns": 1, "failed_attempt_ns": 1}])"),
       "distances[1].processors is more than that of the one before, not 4"}};
  for (const auto& [text, part] : cases) EXPECT_THAT(complaint(text), HasSubstr(part)) << text;
}

TEST(CostModel, NamesThePlaceOfWhatIsNoJson) {
  EXPECT_THAT(complaint(""), StartsWith("c.json:1:1: not JSON"));
  EXPECT_THAT(complaint("{\n  \"format\": oops}"), StartsWith("c.json:2:1"));
  EXPECT_THAT(complaint("{\"format\": \"heist costs 1\""), HasSubstr("not JSON"));
  EXPECT_THAT(complaint("{\"a\": 1e999}"), HasSubstr("c.json"));
  EXPECT_THAT(complaint(std::string("{\"a\": \"\0\"}", 10)), HasSubstr("not JSON"));
  EXPECT_THAT(complaint("{\"a\": \"\xff\"}"), HasSubstr("not JSON"));
  EXPECT_THAT(complaint(with(required) + "{}"), HasSubstr("not JSON"));
}

TEST(CostModel, RefusesWhatIsTooLargeOrTooDeep) {
  EXPECT_THAT(complaint(std::string(heist::lab::max_cost_file + 1, ' ')),
              HasSubstr("at most 1048576 bytes"));
  std::string deep = R"({"machine": )";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  EXPECT_THAT(complaint(deep), HasSubstr("in each other"));
}

TEST(CostModel, AFileThatIsNotThereIsNamed) {
  try {
    static_cast<void>(costs_from_file("/no/such.json"));
    FAIL();
  } catch (const heist::resource_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot read /no/such.json"));
  }
  EXPECT_THROW(static_cast<void>(costs_from_file("/")), heist::resource_error);
}

// Whatever a byte becomes, the file is read or refused.
TEST(CostModel, ChangedBytesDoNoHarm) {
  const std::string good = with(
      required, R"(, "distances": [{"processors": 4, "steal_ns": 1, "failed_attempt_ns": 2}])");
  std::mt19937 random(1);  // NOLINT: the same bytes each time
  std::uint64_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    auto text = good;
    for (int changes = 0; changes < 3; ++changes)
      text[random() % text.size()] = static_cast<char>(random());
    try {
      const auto costs = costs_from_json(text, "c.json");
      EXPECT_GE(costs.failed_attempt_ns, 1);
      EXPECT_LE(costs.steal_ns, cost_model::max_ns);
    } catch (const heist::usage_error& error) {
      EXPECT_THAT(error.what(), StartsWith("c.json"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 10'000u);
}
