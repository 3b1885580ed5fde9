// The rows of heist lab forecast in each format, with figures that no machine had.
#include "cli/lab/forecast_columns.hpp"

#include <vector>

#include <gtest/gtest.h>

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
      "s     off\n");
  EXPECT_EQ(columns.text_line(views.text, checked(0.125)),
            "tree              2      1.2346    0.75     0.25000    (0.20000 to 0.30000)       "
            "0.26000  +12.5%\n");
  EXPECT_EQ(
      columns.csv_line(views.csv, checked(-0.25)),
      "check,tree,\"tree:2,7,200\",2,1.23457,0.7500,0.5,0.25,0.2,0.3,0.26,1.9231,-0.2500,no\n");
  EXPECT_EQ(columns.json_line(views.json, checked(0.125)),
            R"({"kind":"check","program":"tree","dag":"tree:2,7,200","processors":2,"forks":127,)"
            R"("fork_ns":3.0,"instruction_ns":1.23456789,"busy_factor":0.75,)"
            R"("real_s":{"median":0.25,"least":0.2,"greatest":0.3,"samples":3},)"
            R"("simulated_s":{"mean":0.26,"least":0.26,"greatest":0.26},)"
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
  row.work_share = 0.0125;
  row.overhead_share = 0.122;
  row.asleep_share = 0.4;
  row.steals = 38.4;
  const auto columns = forecast_columns();
  const auto views = forecast_views();
  EXPECT_EQ(columns.text_head(views.text),
            "forecast    workers       time, s  speedup   working  overhead    asleep    steals\n");
  EXPECT_EQ(columns.text_line(views.text, row),
            "fib              32      0.125000     4.00      1.2%     12.2%     40.0%        38\n");
  EXPECT_EQ(columns.csv_head(views.csv), checked_columns().csv_head(checked_views().csv));
  EXPECT_EQ(columns.csv_line(views.csv, row), "forecast,fib,fib:18,32,1,,0.5,,,,0.125,4.0000,,\n");
  EXPECT_EQ(columns.json_line(views.json, row),
            R"({"kind":"forecast","program":"fib","dag":"fib:18","processors":32,)"
            R"("instruction_ns":1.0,"serial_s":0.5,"seconds":{"mean":0.125,"least":0.125,)"
            R"("greatest":0.125,"low_95":0.125,"high_95":0.125},"speedup":4.0,)"
            R"("work_share":0.0125,"overhead_share":0.122,"asleep_share":0.4,"steals":38.4})");
}
