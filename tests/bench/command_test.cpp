// heist bench: what arguments that are in order ask for, and what is refused.
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include "cli/bench/requests.hpp"
#include "tests/cli/command.hpp"

using namespace heist::cli;
using ::testing::HasSubstr;

namespace {

command_result bench(std::vector<std::string> words) {
  words.insert(words.begin(), "bench");
  return run_command(bench_commands(), words);
}

template <class Request = bench_request>
Request parse(std::vector<std::string> words) {
  words.insert(words.begin(), "bench");
  return std::get<Request>(read_words(add_bench, words));
}

TEST(BenchCommand, TakesBothNamesOfTheNumberOfWorkers) {
  EXPECT_EQ(parse({"fork_join", "-P", "3"}).settings.workers, 3u);
  EXPECT_EQ(parse({"fork_join", "--workers", "3"}).settings.workers, 3u);
}

TEST(BenchCommand, TakesWhatIsCommonBeforeTheNameToo) {
  const auto before = parse({"--json", "--quick", "-P", "2", "--repeat", "4", "idle"});
  EXPECT_EQ(before.printed.form, heist::report::form::json);
  EXPECT_TRUE(before.quick);
  EXPECT_EQ(before.settings.workers, 2u);
  EXPECT_EQ(before.settings.repeat, 4u);
  EXPECT_EQ(parse({"-P", "2", "idle", "-P", "5"}).settings.workers, 5u);
  EXPECT_TRUE(parse<bench_list_request>({"--json", "list"}).json);
}

TEST(BenchCommand, RefusesWhatHasNoEffect) {
  expect_refused(bench({"--workers", "2", "list"}), wrong_usage, "list has no option --workers");
  expect_refused(bench({"--quick", "list"}), wrong_usage, "list has no option --quick");
  expect_refused(bench({"--repeat", "0", "idle"}), wrong_usage,
                 "--repeat must be an integer from 1");
  expect_refused(bench({"api", "--table", "locks", "--graph-n", "7"}), wrong_usage,
                 "api --graph-n doesn't go with --table locks");
  expect_refused(bench({"memory", "--only", "fib", "--n", "7"}), wrong_usage,
                 "memory --n doesn't go with --only fib");
}

TEST(BenchCommand, WritesOptionsAsWhatTheyAre) {
  EXPECT_THAT(bench({"list", "--json"}).out, HasSubstr("\"default\":39}"));
  EXPECT_THAT(bench({"jobs", "--quick", "--repeat", "1", "-P", "1", "--jobs", "100", "--iterations",
                     "100", "--json"})
                  .out,
              HasSubstr("\"options\":{\"jobs\":100,\"batch\":1024,"));
}

TEST(BenchCommand, HasHelpByBothNames) {
  for (const std::vector<std::string>& subject :
       {std::vector<std::string>{}, {"fork_join"}, {"list"}, {"show"}}) {
    std::vector<std::string> by_help = {"help", "bench"};
    by_help.insert(by_help.end(), subject.begin(), subject.end());
    std::vector<std::string> by_option = subject;
    by_option.emplace_back("--help");
    const auto help = run_command(bench_commands(), by_help);
    EXPECT_EQ(help.code, success) << help.err;
    EXPECT_EQ(help.out, bench(by_option).out);
  }
}

}  // namespace
