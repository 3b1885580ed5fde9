// heist sim --cluster, as a command.
#include <gmock/gmock.h>

#include "command.hpp"
#include "text.hpp"

using testing::HasSubstr;

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
