// What arguments that are in order ask for.
#include <gtest/gtest.h>

#include "cli/parse.hpp"
#include "command.hpp"

using namespace heist::cli;

namespace {

run_request parse_run(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), {"heist", "run"});
  return std::get<run_request>(parse(static_cast<int>(arguments.size()), arguments.data()));
}

}  // namespace

TEST(Parse, LeavesWhatIsNotGivenToTheDefaults) {
  const auto request = parse_run({"fib"});
  ASSERT_EQ(request.chosen.size(), 1u);
  EXPECT_EQ(request.chosen[0].workload->name(), "fib");
  EXPECT_EQ(request.chosen[0].values.integer("n"), 35);
  EXPECT_EQ(request.pool.workers, 0u);
  EXPECT_EQ(request.pool.stack_size, 0u);
  EXPECT_EQ(request.repeat, 3u);
  EXPECT_FALSE(request.json);
  EXPECT_FALSE(request.all);
}

TEST(Parse, TakesOptionsBeforeAndAfterTheWorkload) {
  for (const auto& arguments : {std::vector<const char*>{"--workers", "5", "fib", "--n", "7"},
                                std::vector<const char*>{"fib", "--n=7", "--workers", "5"},
                                std::vector<const char*>{"--workers", "2", "fib", "--n", "9", "--n",
                                                         "7", "--workers", "5"}}) {
    const auto request = parse_run(arguments);
    EXPECT_EQ(request.chosen[0].values.integer("n"), 7);
    EXPECT_EQ(request.pool.workers, 5u);
  }
}

TEST(Parse, TakesFilesAndOptionsInAnyOrder) {
  const auto request = parse_run({"wordcount", "a", "--top", "2", "b", "--json"});
  EXPECT_EQ(request.chosen[0].values.files(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(request.chosen[0].values.integer("top"), 2);
  EXPECT_TRUE(request.json);
  EXPECT_EQ(parse_run({"wordcount", "--", "--a"}).chosen[0].values.files(),
            std::vector<std::string>{"--a"});
}

TEST(Parse, AllAreAllWorkloads) {
  const auto request = parse_run({"all", "--repeat", "1"});
  EXPECT_EQ(request.chosen.size(), heist::workloads::all().size());
  EXPECT_TRUE(request.all);
  EXPECT_EQ(request.repeat, 1u);
}

TEST(Help, IsPrintedForEveryCommand) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"run", "--help"},
                                                    {"run", "fib", "--help"},
                                                    {"list", "--help"},
                                                    {"info", "-h"}}) {
    const auto result = heist_command(arguments);
    EXPECT_EQ(result.code, success);
    EXPECT_EQ(result.err, "");
    EXPECT_NE(result.out.find("Usage: heist"), std::string::npos) << result.out;
  }
}
