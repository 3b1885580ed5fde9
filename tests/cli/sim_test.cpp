// heist sim, as a command.
#include <gmock/gmock.h>

#include "cli/sim/sim_request.hpp"
#include "command.hpp"
#include "text.hpp"

using heist::cli::parse_processors;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Sim, PrintsFigure2) {
  const auto result = heist_command(
      {"sim", "--dag", "figure1", "--scheduler", "busy-leaves", "-P", "2", "--check"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "figure1, busy-leaves, P = 2: T1 23, Tinf 10, S1 3; T 14\n"
            "step  p1       p2       pool\n"
            "   1  G1: v1\n"
            "   2  G1: v2\n"
            "   3  G2: v3   G1: v16\n"
            "   4  G3: v4   G1: v17  G2\n"
            "   5  G3: v5   G6: v18  G1 G2\n"
            "   6  G2: v6   G6: v19  G1\n"
            "   7  G4: v7   G6: v20  G1 G2\n"
            "   8  G4: v8   G1: v21  G2\n"
            "   9  G2: v9            (G1)\n"
            "  10  G5: v10  G2: v13  (G1)\n"
            "  11  G5: v11  G2: v14  (G1)\n"
            "  12  G5: v12  G1: v22  (G2)\n"
            "  13  G2: v15           (G1)\n"
            "  14  G1: v23\n"
            "Threads in the pool are ready, or (stalled).\n"
            "checked: 1 runs, 14 steps; no violation\n");
}

TEST(Sim, PrintsARowForEachNumberOfProcessors) {
  const auto result = heist_command({"sim", "--dag", "fib:12", "-P", "1..8", "--seeds", "3"});
  EXPECT_EQ(result.code, 0);
  const auto rows = lines(result.out);
  ASSERT_EQ(rows.size(), 3u + 4 + 1);
  EXPECT_THAT(
      rows[0],
      StartsWith("fib:12: T1 1161, Tinf 24, parallelism 48.4, S1 12, nd 1, Smax 1, 465 threads"));
  EXPECT_THAT(rows[3], StartsWith("       1          1161    0.00%      1.00"));
  EXPECT_THAT(rows.back(), StartsWith("least squares: T = "));
}

TEST(Sim, RejectsRequestsWhereThievesAreTooManyToQueue) {
  const auto result = heist_command({"sim", "--dag", "fib:12", "-P", "1,5000", "--json"});
  EXPECT_EQ(result.code, 0);
  for (const auto& row : lines(result.out)) EXPECT_THAT(row, HasSubstr(R"("access":"reject")"));
}

TEST(Sim, PrintsTheSameTwice) {
  const std::vector<std::string> command = {"sim", "--dag",   "fib:14", "-P",
                                            "32",  "--seeds", "4",      "--json"};
  EXPECT_EQ(heist_command(command).out, heist_command(command).out);
}

TEST(Sim, ChecksRunsAndSaysHowMany) {
  const auto result =
      heist_command({"sim", "--dag", "random:300,4", "-P", "3", "--seeds", "5", "--check"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("checked: 5 runs, "));
  EXPECT_THAT(result.out, HasSubstr("; no violation\n"));
}

TEST(Sim, PrintsCsvAndJson) {
  const auto csv = lines(heist_command({"sim", "--dag", "chain:9", "-P", "1,2", "--csv"}).out);
  ASSERT_EQ(csv.size(), 3u);
  EXPECT_THAT(csv[0], StartsWith("processors,seeds,steps,"));
  EXPECT_THAT(csv[1], StartsWith("1,1,9,"));
  const auto json = lines(heist_command({"sim", "--dag", "chain:9", "-P", "1,2", "--json"}).out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_THAT(
      json[0],
      StartsWith(
          R"({"dag":"chain:9","scheduler":"work-stealing","access":"queue","processors":1,)"));
}

TEST(Sim, ShowsCommunicationAndQuantiles) {
  const auto text =
      heist_command({"sim", "--dag", "fib:12", "-P", "1,2,4", "--show", "communication"}).out;
  EXPECT_THAT(text, HasSubstr("threads moved"));
  EXPECT_THAT(text, HasSubstr("least squares: communication = "));
  const auto alone =
      heist_command({"sim", "--dag", "fib:5", "-P", "1,1,1", "--show", "communication"});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_THAT(alone.out, testing::Not(HasSubstr("least squares")));
  const auto json = lines(heist_command({"sim", "--dag", "fib:12", "-P", "8", "--seeds", "100",
                                         "--show", "quantiles", "--json"})
                              .out);
  ASSERT_EQ(json.size(), 1u);
  for (const char* name : {"steps_50", "time_factor_90", "attempts_99", "attempts_factor_99"})
    EXPECT_THAT(json[0], HasSubstr("\"" + std::string(name) + "\":"));
}

TEST(Sim, WritesAChartAndAPage) {
  const temporary_folder folder;
  const auto svg = folder / "sim.svg";
  const auto html = folder / "sim.html";
  const auto result =
      heist_command({"sim", "--dag", "fib:10", "-P", "1..16", "--svg", svg, "--html", html});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(content(svg), HasSubstr("<svg"));
  EXPECT_THAT(content(html), HasSubstr("heist sim --dag fib:10"));
  const auto refused = heist_command({"sim", "--dag", "fib:3", "--svg", folder / "no/such"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("cannot write"));
  EXPECT_EQ(refused.out, "");  // before the work, not after it
}

namespace {

// The page that a command writes.
std::string page_of(std::vector<std::string> command) {
  const temporary_folder folder;
  const auto html = folder / "sim_page.html";
  command.insert(command.begin(), "sim");
  command.insert(command.end(), {"--html", html});
  const auto result = heist_command(command);
  EXPECT_EQ(result.code, 0) << result.err;
  return content(html);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// What stands between <table> and </table>, each cell on a line.
std::string tables_of(const std::string& page) {
  std::string result;
  for (auto at = page.find("<table>"); at != std::string::npos; at = page.find("<table>", at + 1))
    result += page.substr(at, page.find("</table>", at) - at);
  return result;
}

const std::string example_costs = HEIST_TESTS_FOLDER "/lab/costs/example.json";

}  // namespace

TEST(SimPage, OfASmallDagShowsItsSchedule) {
  for (const char* form : {"--check", "--json", "--table"}) {
    const auto page = page_of({"--dag", "figure1", "--scheduler", "busy-leaves", "-P", "2", form});
    EXPECT_EQ(count(page, "<svg"), 1u);
    EXPECT_THAT(page, HasSubstr("class=\"schedule\""));
    EXPECT_THAT(page, HasSubstr(">v23</text>"));
    EXPECT_THAT(page, HasSubstr("<td>G1: v23</td>"));
    EXPECT_THAT(page, HasSubstr("&quot;steps&quot;:{&quot;mean&quot;:14.0"));
    EXPECT_THAT(page, testing::Not(HasSubstr("class=\"chart\"")));
  }
  const auto command = {"sim", "--dag", "figure1", "--scheduler", "busy-leaves", "-P", "2"};
  const temporary_folder folder;
  std::vector<std::string> with_page(command.begin(), command.end());
  with_page.insert(with_page.end(), {"--html", folder / "sim_page.html"});
  EXPECT_EQ(heist_command(with_page).out,
            heist_command({command.begin(), command.end()}).out);  // as without a page
}

// A curve needs two points.
TEST(SimPage, OfOneNumberOfProcessorsHasNoEmptyCharts) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--scheduler", "abp"}, {"--costs", example_costs}}) {
    std::vector<std::string> command = {"--dag", "fib:12", "-P", "4"};
    command.insert(command.end(), more.begin(), more.end());
    const auto page = page_of(command);
    EXPECT_EQ(count(page, "<svg"), 0u);
    EXPECT_EQ(count(page, "<table"), 1u);
  }
}

TEST(SimPage, HasTablesForPeople) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--scheduler", "abp"}, {"--costs", example_costs}}) {
    std::vector<std::string> command = {"--dag", "fib:12", "-P", "1,3,7", "--seeds", "3"};
    command.insert(command.end(), more.begin(), more.end());
    const auto tables = tables_of(page_of(command));
    EXPECT_THAT(tables, HasSubstr("<th class=\"number\">P</th>"));
    EXPECT_THAT(tables, testing::Not(HasSubstr("_"))) << tables;
    EXPECT_THAT(tables, testing::Not(testing::ContainsRegex("[0-9]\\.[0-9][0-9][0-9][0-9][0-9]")))
        << tables;
  }
}

TEST(SimPage, GoesWithCosts) {
  const std::vector<std::string> command = {"--dag",   "fib:12", "-P",      "1..16",
                                            "--seeds", "3",      "--costs", example_costs};
  const auto page = page_of(command);
  EXPECT_EQ(count(page, "<svg"), 2u);
  for (const char* part : {"speedup", "asleep", "heist sim --dag fib:12", "&quot;seconds&quot;:"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_EQ(page, page_of(command));
  const temporary_folder folder;
  const auto svg = folder / "sim_costs.svg";
  const auto result = heist_command(
      {"sim", "--dag", "fib:12", "-P", "1..16", "--costs", example_costs, "--svg", svg});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(content(svg), HasSubstr("speedup"));
}

TEST(Sim, RunsUnderAKernel) {
  const auto result = heist_command(
      {"sim", "--dag", "fib:10", "--scheduler", "abp", "--kernel", "benign:2", "-P", "4,8"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(lines(result.out).size(), 5u);
  EXPECT_THAT(result.out, HasSubstr("abp under the kernel benign:2, yields: to-all"));
  const auto stuck = heist_command({"sim", "--dag", "fib:10", "--scheduler", "abp", "--kernel",
                                    "idle-only:2", "--yield", "none", "-P", "8"});
  EXPECT_EQ(stuck.code, 0);
  EXPECT_THAT(stuck.out, HasSubstr("no run comes to an end"));
}

const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
    {{}, "sim needs a computation"},
    {{"--dag", "fob"}, "unknown computation 'fob'"},
    {{"--dag", "fib:x"}, "fib:x: n is a whole number, not 'x'"},
    {{"--dag", "file:/no/such"}, "/no/such"},
    {{"--dag", "fib", "--scheduler", "greed"}, "did you mean 'greedy'?"},
    {{"--dag", "fib", "-P", "0"}, "-P takes a whole number from 1 to 1000000, not '0'"},
    {{"--dag", "fib", "-P", "8..2"}, "ends before it begins"},
    {{"--dag", "fib", "-P", "1,,2"}, "not ''"},
    {{"--dag", "fib", "--seeds", "-1"}, "--seeds takes a whole number"},
    {{"--dag", "fib", "--engine", "fast"}, "--engine is one of best, step, event, not 'fast'"},
    {{"--dag", "fib", "--steal", "0"}, "--steal"},
    {{"--dag", "fib", "--steal", "8-or-two"}, "--steal"},
    {{"--dag", "fib", "--latency", "1,2"}, "--latency takes 4 numbers"},
    {{"--dag", "fib", "--groups", "8,4,64"}, "--groups grows with the distance"},
    {{"--dag", "fib", "--scheduler", "greedy", "--engine", "event"}, "has no event engine"},
    {{"--dag", "fib", "--check", "--engine", "event"}, "--check looks at every step"},
    {{"--dag", "fib:30", "--check"}, "too many to look at each"},
    {{"--dag", "fib", "--json", "--csv"}, "exclude each other"},
    {{"--dag", "fib", "--scheduler", "lifo", "--kernel", "benign"},
     "a kernel goes with abp and greedy"},
    {{"--dag", "fib", "--scheduler", "abp", "--kernel", "evil"}, "unknown kernel 'evil'"},
    {{"--dag", "random-general:50,1", "--scheduler", "busy-leaves"},
     "busy-leaves needs a strict computation"},
    {{"--dag", "fib", "--fast"}, "sim has no option --fast"},
    {{"--dag", "fib:5", "--scale", "x=2"}, "no regions"},
    {{"--dag", "fib:5", "--scale", "x"}, "--scale takes REGION=FACTOR"},
    {{"--dag", "fib:5", "--scale", "=2"}, "--scale takes REGION=FACTOR"},
    {{"--dag", "fib:5", "--scale", "x=2,y=-1"}, "--scale takes REGION=FACTOR"},
    {{"--dag", "fib:5", "--scale", "x=1e9"}, "from 0 to 1000"},
    {{"--dag", "fib", "more"}, "sim takes no argument 'more'"},
    {{"--dag", "fib:5", "--curve", "space"}, "--curve goes with --svg"},
    {{"--dag", "fib:5", "--kernel", "benign:2", "--scheduler", "abp", "--curve", "space", "--svg",
      "x.svg"},
     "--curve doesn't go with a kernel"},
    {{"--dag", "fib:5", "--yield", "none"}, "--yield goes with --scheduler abp"},
    {{"--dag", "fib:5", "--lock", "5"}, "--lock goes with --scheduler abp"},
    {{"--dag", "fib:5", "--spawn", "parent"}, "--spawn goes with --scheduler abp"},
    {{"--dag", "fib:5", "--scheduler", "abp", "--enabled", "later"}, "--enabled"},
    {{"--dag", "fib:5", "--scheduler", "greedy", "--kernel", "benign:2", "--yield", "none"},
     "--yield goes with --scheduler abp"},
    {{"--dag", "fib:5", "--scheduler", "abp", "--steal", "half"},
     "--steal doesn't go with a kernel"},
    {{"--dag", "fib:5", "--scheduler", "abp", "--engine", "event"},
     "--engine doesn't go with a kernel"},
    {{"--dag", "fib:5", "--scheduler", "abp", "--queue-cost", "7"},
     "--queue-cost doesn't go with a kernel"},
    {{"--dag", "fib:5", "--scheduler", "greedy", "--steal", "half"},
     "--steal goes with work-stealing and child-stealing, not with greedy"},
    {{"--dag", "fib:5", "--scheduler", "fifo", "--latency", "1,2,3,4"},
     "--latency goes with work-stealing and child-stealing, not with fifo"},
    {{"--dag", "fib:5", "--queue-cost", "7"}, "work-stealing has no central queue"},
    {{"--dag", "fib:5", "--show", "space"}, "--show is one of time, communication, quantiles"},
    {{"--dag", "fib:5", "--show", "quantiles", "--seeds", "99"},
     "--show quantiles needs --seeds of 100 or more"},
    {{"--dag", "fib:5", "--show", "communication", "--scheduler", "fifo"},
     "--show goes with work stealing and sharing, not with fifo"},
    {{"--dag", "fib:5", "--tries", "7"}, "--tries goes with --victim nearest and lifeline"},
    {{"--dag", "fib:5", "--access", "reject", "--answer", "last"},
     "--answer doesn't go with --access reject"},
    {{"--dag", "fib:5", "--json", "--table"}, "exclude each other"},
};

TEST(Sim, RefusesBadArgumentsInOneLine) {
  for (const auto& [arguments, message] : refused) {
    std::vector<std::string> command = {"sim"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const auto result = heist_command(command);
    EXPECT_EQ(result.code, message == "/no/such" ? 1 : 2) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  }
}

TEST(Processors, AreAListOfNumbersAndDoublingRanges) {
  EXPECT_EQ(parse_processors("1..8"), (std::vector<std::uint32_t>{1, 2, 4, 8}));
  EXPECT_EQ(parse_processors("3..20"), (std::vector<std::uint32_t>{3, 6, 12, 20}));
  EXPECT_EQ(parse_processors("5"), (std::vector<std::uint32_t>{5}));
  EXPECT_EQ(parse_processors("7,1..2,9"), (std::vector<std::uint32_t>{7, 1, 2, 9}));
  EXPECT_EQ(parse_processors("1..1000000").back(), 1'000'000u);
}

// ---- heist sim --cluster, as a command.

namespace {

command_result sim_cluster(const std::string& dag, const std::string& keys,
                           std::vector<std::string> more = {}) {
  std::vector<std::string> command = {"sim", "--dag", dag, "--cluster", keys};
  command.insert(command.end(), more.begin(), more.end());
  return heist_command(command);
}

TEST(SimCluster, PrintsARowForEachOfRanksItemsAndWaysToSteal) {
  const auto result =
      sim_cluster("units:20000", "ranks=1..4,item=1us,10us,stealing=all,latency=5us");
  EXPECT_EQ(result.code, 0);
  const auto all = lines(result.out);
  ASSERT_EQ(all.size(), 2u + 3 * 2 * 3);
  EXPECT_THAT(all[0], HasSubstr("units:20000: latency 5 us"));
  EXPECT_THAT(all[2], HasSubstr("100.0%")) << "one rank loses nothing";
}

TEST(SimCluster, CountsATreeExactly) {
  // The command compares with the published count, and would fail.
  const auto result =
      sim_cluster("uts:tiny", "ranks=7,host=3,jitter=0.5,message=100ns", {"--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"ranks\":7"));
}

TEST(SimCluster, TheSameCommandGivesTheSameBytes) {
  const auto run = [] {
    return sim_cluster("units:5000", "ranks=33,jitter=0.3,chunk=3", {"--csv", "--seeds", "2"}).out;
  };
  EXPECT_EQ(run(), run());
}

TEST(SimCluster, WritesItsPageAndPicture) {
  const temporary_folder folder;
  const auto result = sim_cluster("units:20000", "ranks=1..64,item=100ns,1us",
                                  {"--html", folder / "page.html", "--svg", folder / "chart.svg"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* part : {"Efficiency", "Ramp-up", "grain", "bound of random stealing",
                           "heist sim --dag units:20000", "&quot;efficiency&quot;:"})
    EXPECT_THAT(content(folder / "page.html"), HasSubstr(part));
  EXPECT_THAT(content(folder / "chart.svg"), HasSubstr("<svg"));
}

TEST(SimCluster, ADeathIsAFailureInOneLine) {
  const auto result =
      sim_cluster("units:1000000", "ranks=50,heartbeat=100us,kill=13@300us", {"--seeds", "1"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("rank 13: nothing was heard of it for 1 ms; all others know"));
  EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
}

TEST(SimCluster, RefusesBadArgumentsInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"units:9", "latency=1us"}, "--cluster needs ranks"},
      {{"units:9", "ranks=0"}, "--cluster: ranks takes a whole number from 1 to 1048576, not '0'"},
      {{"units:9", "ranks"}, "--cluster takes KEY=VALUE"},
      {{"units:9", "ranks=4,latence=1us"}, "did you mean 'latency'?"},
      {{"units:9", "ranks=4,latency=2"}, "latency takes a time with its unit, as 2us or 1.5ms"},
      {{"units:9", "ranks=4,latency=-2us"}, "latency takes a time"},
      {{"units:9", "ranks=4,latency=1e99s"}, "latency takes a time"},
      {{"units:9", "ranks=4,item=0ns"}, "item takes at least"},
      {{"units:9", "ranks=4,jitter=1"}, "jitter takes a number from 0 to below 1"},
      {{"units:9", "ranks=4,stealing=some"}, "stealing is one of lifelines, distance, random, all"},
      {{"units:9", "ranks=4,chunk=0"}, "--cluster: chunk takes a whole number"},
      {{"units:9", "ranks=4,snapshot=1ns"}, "snapshot takes at least 1us"},
      {{"units:9", "ranks=4,heartbeat=0s"}, "heartbeat takes at least 1us"},
      {{"units:9", "ranks=4,kill=1@1us"}, "kill goes with heartbeat"},
      {{"units:9", "ranks=4,heartbeat=1us,kill=4@1us"}, "there is no rank 4 among 4"},
      {{"units:9", "ranks=4,heartbeat=1us,kill=1"}, "kill takes RANK@TIME"},
      {{"units:0", "ranks=4"}, "units:0: n is from 1 to"},
      {{"uts:T99", "ranks=4"}, "--cluster runs uts:TREE"},
      {{"fib:9", "ranks=4"}, "--cluster runs uts:TREE"},
      {{"units:9", "ranks=4", "-P", "3"}, "-P doesn't go with --cluster"},
      {{"units:9", "ranks=4", "--scheduler", "greedy"}, "--scheduler doesn't go with --cluster"},
      {{"units:9", "ranks=4", "--check"}, "--check doesn't go with --cluster"},
  };
  for (const auto& [arguments, message] : cases) {
    const auto result =
        sim_cluster(arguments[0], arguments[1], {arguments.begin() + 2, arguments.end()});
    EXPECT_EQ(result.code, 2) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  }
}

}  // namespace
