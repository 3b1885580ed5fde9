// heist report, on a recording made by hand and on files that are none.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "tests/unit/trace/sample.hpp"

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ReportCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    write(trace, heist_test::json_of(heist_test::sample_log()));
    write(binary, heist_test::binary_of(heist_test::sample_log()));
  }
  void expect_refused(int code, std::vector<std::string> arguments, const std::string& complaint) {
    arguments.insert(arguments.begin(), "report");
    const command_result result = heist_command(arguments);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("heist: "));
    EXPECT_THAT(result.err, HasSubstr(complaint));
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  }

  temporary_folder folder;
  const std::string trace = folder / "t.json";
  const std::string binary = folder / "t.htrace";
  static constexpr int usage = heist::cli::wrong_usage;
  static constexpr int refused = heist::cli::environment_refused;
};

}  // namespace

TEST_F(ReportCommand, SaysTheSameOfBothForms) {
  const command_result of_json = heist_command({"report", trace});
  const command_result of_binary = heist_command({"report", binary});
  EXPECT_EQ(of_json.code, heist::cli::success) << of_json.err;
  EXPECT_EQ(of_json.out, of_binary.out);
  for (const char* part : {"1.000 ms with 2 workers on 2 processors", "21 events", "heist/1",
                           "idle because", "parse", "There was no room for 7 events"})
    EXPECT_THAT(of_json.out, HasSubstr(part));
  // A control character in a name doesn't reach the terminal.
  EXPECT_EQ(of_json.out.find('\x01'), std::string::npos);
  EXPECT_THAT(of_json.out, HasSubstr("<script>alert(1)</script>??\\"));
}

TEST_F(ReportCommand, GivesItsNumbersAsJson) {
  const command_result result = heist_command({"report", trace, "--json"});
  EXPECT_EQ(result.code, heist::cli::success) << result.err;
  const auto j = nlohmann::json::parse(result.out);
  EXPECT_EQ(j.at("duration_ns"), 1'000'000);
  EXPECT_EQ(j.at("work_ns"), 1'550'000);
  EXPECT_EQ(j.at("lost_events"), 7);
  EXPECT_EQ(j.at("lanes").at(1).at("steals"), 2);
  std::uint64_t idle = 0;
  for (const auto& [cause, ns] : j.at("idle").items()) idle += ns.get<std::uint64_t>();
  EXPECT_EQ(idle, j.at("capacity_ns").get<std::uint64_t>() - 1'550'000);
}

TEST_F(ReportCommand, WritesAPageWithTheRecordingInIt) {
  const std::string page = folder / "r.html";
  const command_result result = heist_command({"report", trace, "-o", page});
  EXPECT_EQ(result.code, heist::cli::success) << result.err;
  const std::string text = read(page);
  EXPECT_THAT(text, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(text, HasSubstr("sample \\\"quoted\\\" \\u003cscript>"));
  EXPECT_THAT(text, EndsWith("</html>\n"));
}

TEST_F(ReportCommand, SaysWhatOneThreadDidAlone) {
  const command_result result = heist_command({"report", trace});
  EXPECT_THAT(result.out, testing::ContainsRegex("Amdahl +[0-9.]+ % of the work was done by one "
                                                 "thread alone, so the speed-up is at most [0-9.]+ "
                                                 "on 2 processors,.* on any number\n"));
}

TEST_F(ReportCommand, KnowsAProfileOfTheSameRun) {
  const std::string profile = folder / "p.json";
  write(profile, R"({"format": "heist work and span 1", "work": 2e-3, "span": 1e-3,
                     "parallelism": 2, "burdened_parallelism": 2, "regions": []})");
  const command_result result = heist_command({"report", trace, "--profile", profile});
  EXPECT_EQ(result.code, heist::cli::success) << result.err;
  EXPECT_THAT(result.out, HasSubstr("The program's parallelism is 2: no number of processors"));
  for (const char* const wrong : {"", "7", "{\"format\": \"another\"}", "{"}) {
    write(profile, wrong);
    expect_refused(refused, {trace, "--profile", profile}, "not a profile of work and span");
  }
  expect_refused(refused, {trace, "--profile", folder / "none.json"}, "none.json");
}

TEST_F(ReportCommand, ConvertsThereAndBack) {
  const std::string there = folder / "there.htrace";
  const std::string back = folder / "back.json";
  EXPECT_EQ(heist_command({"report", trace, "--convert", there}).code, heist::cli::success);
  EXPECT_EQ(read(there), read(binary));
  EXPECT_EQ(heist_command({"report", there, "--convert", back}).code, heist::cli::success);
  EXPECT_EQ(read(back), read(trace));
}

TEST_F(ReportCommand, RefusesWhatIsNoTrace) {
  const std::string bad = folder / "bad.json";
  expect_refused(usage, {}, "which trace?");
  expect_refused(usage, {trace, trace, "more"}, "more");
  expect_refused(refused, {folder / "none.json"}, "No such file or directory");
  expect_refused(refused, {folder / "."}, "it isn't a file");
  write(bad, "");
  expect_refused(refused, {bad}, "the file is empty");
  write(bad, "{\"a\":");
  expect_refused(refused, {bad}, "not JSON");
  write(bad, "hello");
  expect_refused(refused, {bad}, "neither JSON nor heist's binary form");
  const std::string whole = read(trace);
  write(bad, whole.substr(0, whole.size() / 2));
  expect_refused(refused, {bad}, "not JSON");
  const std::string bytes = read(binary);
  write(bad, bytes.substr(0, bytes.size() - 5));
  expect_refused(refused, {bad}, "bad.json: ");
}

TEST_F(ReportCommand, NeverHarmsTheTraceOrLeavesHalfAFile) {
  const std::string before = read(trace);
  expect_refused(usage, {trace, "-o", trace}, "is the trace itself");
  expect_refused(usage, {trace, "--convert", folder / "./t.json"}, "is the trace itself");
  expect_refused(usage, {trace, "--convert", folder / "x.txt"}, "ends in .json or .htrace");
  expect_refused(usage, {trace, "-o", folder / "x.json", "--convert", folder / "x.json"},
                 "can't be both");
  expect_refused(refused, {trace, "-o", folder / "none/x.html"}, "cannot write");
  EXPECT_EQ(read(trace), before);
  EXPECT_FALSE(std::filesystem::exists(folder / "x.json"));
}
