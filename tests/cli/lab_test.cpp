// heist lab, and heist sim with costs, as commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include <heist/pool.hpp>

#include "calibration/costs.hpp"
#include "calibration/programs.hpp"
#include "cli/lab/forecast_columns.hpp"
#include "command.hpp"
#include "lab/catalog/computation.hpp"
#include "lab/engines/cost_model.hpp"

using testing::HasSubstr;
using testing::StartsWith;

namespace {

const std::string example = HEIST_TESTS_FOLDER "/lab/costs/example.json";

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

// Costs can only be measured where two threads run at once.
bool has_two_processors() { return heist::pool().workers() > 1; }

}  // namespace

TEST(MeasuredCosts, AreDoubtedWhereAnotherProgramHadTheProcessors) {
  heist::calibration::measured_costs costs;
  costs.machine.processors = 2;
  costs.machine.load = 1.5;
  costs.costs = {{"steal_ns", heist::report::samples({389, 509, 8098}), ""},
                 {"failed_attempt_ns", heist::report::samples({223, 230, 240}), ""}};
  EXPECT_TRUE(costs.doubts().empty());
  costs.costs.back().values = heist::report::samples({223, 2'000'076, 2'000'100});
  costs.machine.load = 2.24;
  EXPECT_THAT(costs.doubts(),
              testing::ElementsAre("the load was 2.2 before, on 2 processors",
                                   "the median of failed_attempt_ns is 8969 times the least"));
}

TEST(SimWithCosts, OneProcessorTakesWorkAndForks) {
  const auto result = heist_command({"sim", "--dag", "fib:10", "--costs", example, "-P", "1"});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto rows = lines(result.out);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_THAT(rows[0], StartsWith("fib:10: T1 441, Tinf 20"));
  EXPECT_THAT(rows[1], HasSubstr("an instruction takes 1 ns"));
  EXPECT_THAT(rows[3], StartsWith("       1      7.05e-07        -      0.63"));  // 441 + 88 * 3 ns
  const auto twice = heist_command({"sim", "--dag", "fib:10", "--costs", example, "-P", "1",
                                    "--instruction-ns", "2.5", "--csv"});
  EXPECT_THAT(lines(twice.out)[1], StartsWith("1,1,1.3665e-06,,,"));  // 441 * 2.5 + 88 * 3
}

TEST(SimWithCosts, PrintsTheSameTwice) {
  for (const auto* form : {"--json", "--csv", "--table"}) {
    const std::vector<std::string> command = {"sim",     "--dag", "fib:14",  "-P",    "1,5,32",
                                              "--seeds", "3",     "--costs", example, form};
    const auto first = heist_command(command);
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(first.out, heist_command(command).out);
  }
}

TEST(SimWithCosts, RefusesInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--costs", "/no/such"}, "cannot read /no/such"},
      {{"--costs", HEIST_TESTS_FOLDER "/lab/dag/CMakeLists.txt"}, "CMakeLists.txt:1:1: not JSON"},
      {{"--costs", example, "--scheduler", "greedy"}, "--scheduler doesn't go with --costs"},
      {{"--costs", example, "--kernel", "benign:2"}, "--kernel doesn't go with --costs"},
      {{"--costs", example, "--latency", "1,2,3,4"}, "--latency doesn't go with --costs"},
      {{"--costs", example, "--steal", "half"}, "--steal doesn't go with --costs"},
      // Also where what is given is the default.
      {{"--costs", example, "--steal", "one"}, "--steal doesn't go with --costs"},
      {{"--costs", example, "--check"}, "--check doesn't go with --costs"},
      {{"--costs", example, "--tries", "3"}, "--tries doesn't go with --costs"},
      {{"--costs", example, "--yield", "none"}, "--yield doesn't go with --costs"},
      {{"--costs", example, "--curve", "wait", "--svg", "x.svg"},
       "--curve doesn't go with --costs"},
      {{"--costs", example, "-P", "65537"}, "with costs P is from 1 to 65536, not 65537"},
      {{"--costs", example, "--instruction-ns", "0"}, "--instruction-ns takes a number from 0.001"},
      {{"--costs", example, "--instruction-ns", "nan"}, "not 'nan'"},
      {{"--costs", example, "--instruction-ns", "1e10"}, "not '1e10'"},
      {{"--instruction-ns", "1"}, "--instruction-ns goes with --costs"},
  };
  for (const auto& [arguments, part] : cases) {
    std::vector<std::string> command = {"sim", "--dag", "fib:5"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const auto result = heist_command(command);
    EXPECT_THAT(result.code, testing::AnyOf(1, 2)) << part;
    EXPECT_EQ(
        result.out.find("time, s") != std::string::npos && part.find("65536") == std::string::npos,
        false)
        << part;
    EXPECT_THAT(result.err, HasSubstr(part));
    EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  }
}

TEST(Lab, RefusesBadArgumentsInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "lab needs a subject"},
      {{"calibrat"}, "did you mean 'calibrate'?"},
      {{"calibrate", "x"}, "calibrate takes no argument 'x'"},
      {{"calibrate", "--fast"}, "calibrate has no option --fast"},
      {{"calibrate", "--workers", "1"}, "--workers takes a whole number from 2"},
      {{"calibrate", "--repeat", "0"}, "--repeat takes a whole number from 1"},
      {{"forecast", "-P", "0"}, "-P takes a whole number from 1 to 65536, not '0'"},
      {{"forecast", "--program", "fob"}, "unknown program 'fob'"},
      {{"forecast", "--json", "--csv"}, "exclude each other"},
      {{"forecast", "--seeds", "-1"}, "--seeds takes a whole number"},
  };
  for (const auto& [arguments, part] : cases) {
    std::vector<std::string> command = {"lab"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const auto result = heist_command(command);
    EXPECT_EQ(result.code, 2) << part;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(part));
    EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  }
  const auto refused = heist_command({"lab", "calibrate", "--quick", "--output", "/no/such/file"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("cannot write '/no/such/file'"));
  EXPECT_EQ(heist_command({"lab", "forecast", "--costs", "/no/such"}).code, 1);
}

// What calibrate writes the lab reads, and all of it is positive.
TEST(Lab, CalibrateWritesAFileThatTheLabReads) {
  if (!has_two_processors()) GTEST_SKIP() << "one processor";
  const temporary_folder folder;
  const auto path = folder / "costs.json";
  const auto result = heist_command({"lab", "calibrate", "--quick", "--output", path});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("a quick run, whose figures mean little"));
  const auto costs = heist::lab::costs_from_file(path);
  for (const double each : {costs.instruction_ns, costs.steal_ns, costs.failed_attempt_ns,
                            costs.quiet_steal_ns, costs.suspend_ns, costs.wake_ns, costs.waking_ns,
                            costs.awake_ns.value_or(-1), costs.busy_factor}) {
    EXPECT_TRUE(std::isfinite(each));
    EXPECT_GT(each, 0);
  }
  EXPECT_GE(costs.fork_ns, 0);
  const auto used = heist_command({"sim", "--dag", "fib:12", "--costs", path, "-P", "1..8"});
  EXPECT_EQ(used.code, 0) << used.err;
  EXPECT_EQ(lines(used.out).size(), 3u + 4 + costs.doubts.size());
}

TEST(Lab, ForecastRunsEveryProgramInBothWorlds) {
  const auto result = heist_command(
      {"lab", "forecast", "--quick", "--costs", example, "-P", "1,32", "--seeds", "2", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  std::size_t checks = 0, forecasts = 0;
  for (const auto& line : lines(result.out)) {
    checks += line.starts_with(R"({"kind":"check","program":")");
    forecasts += line.starts_with(R"({"kind":"forecast","program":")");
  }
  EXPECT_EQ(checks, has_two_processors() ? 14u : 7u);  // 2 workers are needed for the forecast
  EXPECT_EQ(forecasts, 7u);
}

TEST(Lab, ForecastPrintsItsAssumptions) {
  const auto result = heist_command({"lab", "forecast", "--quick", "--costs", example, "--program",
                                     "tree,loops", "-P", "1,2,64"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("The forecast assumes that"));
  EXPECT_THAT(result.out, HasSubstr("no limit of bandwidth"));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("quicksort")));
  const auto csv = heist_command({"lab", "forecast", "--quick", "--costs", example, "--program",
                                  "tree", "-P", "1,64", "--csv"});
  ASSERT_GE(lines(csv.out).size(), 3u);
  EXPECT_THAT(lines(csv.out)[1], StartsWith("check,tree,\"tree:2,7,200\",1,"));
  EXPECT_THAT(lines(csv.out).back(), StartsWith("forecast,tree,\"tree:2,7,200\",64,"));
}

// A program is the same in both worlds: as many forks, and the same result with them as without.
TEST(Lab, ProgramsAreTheComputationsOfTheLab) {
  for (const auto& program : heist::calibration::lab_programs()) {
    if (program.quick.empty()) continue;
    const auto copy = program.make(true);
    copy->reset();
    const auto forks = copy->forks();
    copy->reset();
    copy->run_serial();
    const auto expected = copy->result();
    copy->reset();
    heist::pool(heist::pool_config{.workers = 2}).run([&] { copy->run_forked(); });
    EXPECT_EQ(copy->result(), expected) << program.name;
    const auto simulated = heist::lab::make_computation(program.computation(true));
    EXPECT_EQ(simulated->run_timed({}).forks, forks) << program.name;
  }
}

// ---- The rows of heist lab forecast in each format, with figures that no machine had.

using namespace heist::cli;
using heist::report::samples;
using heist::report::summarize;

namespace {

heist::calibration::checked_row checked(double off) {
  heist::calibration::checked_row row;
  row.program = "tree";
  row.dag = "tree:2,7,200";
  row.processors = 2;
  row.forks = 127;
  row.fork_ns = 3;
  row.instruction_ns = 1.23456789;
  row.busy_factor = 0.75;
  row.serial_s = 0.5;
  row.real = samples({0.25, 0.2, 0.3});
  row.simulated = summarize(std::vector<double>{0.26});
  row.range = {0.24, 0.28};
  row.ratios = samples({1 + off});
  return row;
}

}  // namespace

TEST(CheckedRows, HaveAFormEach) {
  const auto columns = checked_columns();
  const auto views = checked_views();
  EXPECT_EQ(
      columns.text_head(views.text),
      "program     workers   ns a unit    busy     real, s     (least to greatest)  simulated, "
      "s     (from low to high)     off\n");
  EXPECT_EQ(columns.text_line(views.text, checked(0.125)),
            "tree              2      1.2346    0.75     0.25000    (0.20000 to 0.30000)       "
            "0.26000   (0.24000 to 0.28000)  +12.5%\n");
  EXPECT_EQ(
      columns.csv_line(views.csv, checked(-0.25)),
      "check,tree,\"tree:2,7,200\",2,1.23457,0.7500,0.5,0.25,0.2,0.3,0.26,1.9231,-0.2500,no,0.24,"
      "0.28\n");
  EXPECT_EQ(
      columns.json_line(views.json, checked(0.125)),
      R"({"kind":"check","program":"tree","dag":"tree:2,7,200","processors":2,"forks":127,)"
      R"("fork_ns":3.0,"instruction_ns":1.23456789,"busy_factor":0.75,)"
      R"("real_s":{"median":0.25,"least":0.2,"greatest":0.3,"samples":3},)"
      R"("simulated_s":{"mean":0.26,"least":0.26,"greatest":0.26},"low_s":0.24,"high_s":0.28,)"
      R"("difference":0.125,"within_15_percent":true})");
}

TEST(CheckedRows, SayWhenTheyAreFarOff) {
  const auto line = checked_columns().text_line(checked_views().text, checked(-0.25));
  EXPECT_TRUE(line.ends_with("  -25.0%  more than 15%\n")) << line;
}

TEST(ForecastRows, LeaveTheColumnsOfRealRunsEmpty) {
  heist::calibration::forecast_row row;
  row.program = "fib";
  row.dag = "fib:18";
  row.processors = 32;
  row.instruction_ns = 1;
  row.serial_s = 0.5;
  row.seconds = summarize(std::vector<double>{0.125, 0.125});
  row.range = {0.1, 0.25};
  row.work_share = 0.0125;
  row.overhead_share = 0.122;
  row.asleep_share = 0.4;
  row.steals = 38.4;
  const auto columns = forecast_columns();
  const auto views = forecast_views();
  EXPECT_EQ(
      columns.text_head(views.text),
      "forecast    workers       time, s       (from low to high)  speedup   working  overhead    "
      "asleep    steals\n");
  EXPECT_EQ(
      columns.text_line(views.text, row),
      "fib              32      0.125000   (0.100000 to 0.250000)     4.00      1.2%     12.2%    "
      " 40.0%        38\n");
  EXPECT_EQ(columns.csv_head(views.csv), checked_columns().csv_head(checked_views().csv));
  EXPECT_EQ(columns.csv_line(views.csv, row),
            "forecast,fib,fib:18,32,1,,0.5,,,,0.125,4.0000,,,0.1,0.25\n");
  EXPECT_EQ(
      columns.json_line(views.json, row),
      R"({"kind":"forecast","program":"fib","dag":"fib:18","processors":32,)"
      R"("instruction_ns":1.0,"serial_s":0.5,"seconds":{"mean":0.125,"least":0.125,)"
      R"("greatest":0.125,"low_95":0.125,"high_95":0.125},"low_s":0.1,"high_s":0.25,"speedup":4.0,)"
      R"("work_share":0.0125,"overhead_share":0.122,"asleep_share":0.4,"steals":38.4})");
}
