// heist theory granularity as a user meets it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/command.hpp"
#include "tests/lab/support.hpp"

namespace {

using heist_test::count;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> small_loop(const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"theory", "granularity", "-P",   "4",       "--work",
                                        "40000",  "--tasks",     "1..8", "--seeds", "3"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(GranularityCommand, PrintsARowForEachSchedulerAndCut) {
  const auto result = heist_command(small_loop());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(count(result.out, "\n"), 2U + 6U * 4U);
  EXPECT_THAT(result.out, HasSubstr("\nlongest-first:exact"));
  EXPECT_EQ(result.out, heist_command(small_loop()).out);
  EXPECT_NE(result.out, heist_command(small_loop({"--seed", "7"})).out);
}

TEST(GranularityCommand, TakesListsOfSchedulersHintsAndTasks) {
  const auto result = heist_command(small_loop({"--scheduler", "longest-first,fifo,fifo", "--hint",
                                                "noisy,history", "--tasks", "8,2,2", "--csv"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(count(result.out, "\n"), 1U + 3U * 2U);
  EXPECT_THAT(result.out, StartsWith("scheduler,tasks/P,"));
  EXPECT_THAT(result.out, HasSubstr("\nlongest-first:noisy,2,"));
  EXPECT_THAT(result.out, HasSubstr("\nlongest-first:history,8,"));
  EXPECT_THAT(result.out, HasSubstr("\nfifo,2,8,"));
  const auto all = heist_command(small_loop({"--scheduler", "all", "--tasks", "4", "--json"}));
  EXPECT_EQ(count(all.out, "{\"scheduler\": "), 8U);
}

TEST(GranularityCommand, WritesChartsAndPage) {
  const auto folder = testing::TempDir() + "heist_granularity_" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  for (const std::string curve : {"time", "balance", "overhead", "tail"}) {
    const auto svg = folder + "/" + curve + ".svg";
    const auto html = folder + "/page.html";
    const auto result = heist_command(small_loop({"--svg", svg, "--html", html, "--curve", curve}));
    EXPECT_EQ(result.code, 0) << result.err;
    const auto name = std::string(1, static_cast<char>(curve[0] - 'a' + 'A')) + curve.substr(1);
    EXPECT_THAT(content(svg), HasSubstr("<title>" + name + ": exponential costs, P = 4</title>"));
    EXPECT_THAT(content(html), HasSubstr("theory granularity -P 4"));
    EXPECT_EQ(count(content(html), "<svg"), 4U);
    EXPECT_THAT(content(html), Not(HasSubstr("src=")));
  }
  std::filesystem::remove_all(folder);
}

void expect_refused(int code, const std::vector<std::string>& more, const std::string& complaint) {
  const auto result = heist_command(small_loop(more));
  EXPECT_EQ(result.code, code) << complaint;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("heist: "));
  EXPECT_THAT(result.err, HasSubstr(complaint));
  EXPECT_EQ(count(result.err, "\n"), 1U) << result.err;
}

TEST(GranularityCommand, RefusesWhatItCantDo) {
  constexpr int usage = heist::cli::wrong_usage;
  expect_refused(usage, {"-P", "0"}, "granularity: -P takes a whole number from 1 to 4096");
  expect_refused(usage, {"--work", "1e9"}, "--work takes a whole number");
  expect_refused(usage, {"--work", "31"}, "31 steps of work are too few for 32 tasks");
  expect_refused(usage, {"--tasks", "0"}, "--tasks takes");
  expect_refused(usage, {"--tasks", "8..2"}, "ends before it begins");
  expect_refused(usage, {"--tasks", "1,,2"}, "--tasks takes");
  expect_refused(usage, {"--tasks", "4194304"}, "is cut into 1 to 4194304 tasks");
  expect_refused(usage, {"--costs", "exponental"}, "did you mean 'exponential'?");
  expect_refused(usage, {"--scheduler", "fifo,lfio"}, "unknown scheduler 'lfio'");
  expect_refused(usage, {"--hint", "exakt"}, "did you mean 'exact'?");
  expect_refused(usage, {"--queue", "open"}, "unknown queue 'open'");
  expect_refused(usage, {"--queue-cost", "1000001"}, "--queue-cost takes");
  expect_refused(usage, {"--svg", "x", "--curve", "speed"}, "unknown curve 'speed'");
  expect_refused(usage, {"--curve", "tail"}, "--curve goes with --svg");
  expect_refused(usage, {"--scheduler", "fifo,static", "--hint", "noisy"},
                 "--hint goes with longest-first and shortest-first");
  expect_refused(usage, {"--scheduler", "static,work-stealing", "--queue", "shared"},
                 "--queue doesn't go with static, interleaved and work-stealing");
  expect_refused(usage, {"--scheduler", "static,interleaved", "--queue-cost", "7"},
                 "--queue-cost doesn't go with static and interleaved");
  expect_refused(usage, {"--seeds", "0"}, "--seeds takes");
  expect_refused(usage, {"--csv", "--json"}, "exclude each other");
  expect_refused(usage, {"--frob"}, "granularity has no option --frob");
  expect_refused(usage, {"x"}, "granularity takes no argument 'x'");
  expect_refused(heist::cli::environment_refused, {"--svg", "/no/such/folder/x"}, "cannot write");
}

}  // namespace
