// What arguments that are in order ask for.
#include <fstream>
#include <regex>

#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include "cli/args/suggest.hpp"
#include "cli/lab/lab.hpp"
#include "cli/run/run.hpp"
#include "cli/sim/sim_request.hpp"
#include "cli/theory/theory.hpp"
#include "command.hpp"

using namespace heist::cli;

namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

run_request parse_run(std::vector<std::string> words) {
  words.insert(words.begin(), "run");
  return read_words(add_run, words);
}

template <class Request>
Request parse_as(const std::string& line) {
  const auto words = words_of(line);
  if constexpr (std::is_same_v<Request, run_request>)
    return read_words(add_run, words);
  else
    return read_words(add_sim, words);
}
template <class Request>
Request parse_theory(const std::string& words) {
  return std::get<Request>(read_words(add_theory, words_of("theory " + words)));
}
template <class Request>
Request parse_lab(const std::string& words) {
  return std::get<Request>(read_words(add_lab, words_of("lab " + words)));
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
  for (const auto& arguments : {std::vector<std::string>{"--workers", "5", "fib", "--n", "7"},
                                std::vector<std::string>{"fib", "--n=7", "--workers", "5"},
                                std::vector<std::string>{"--workers", "2", "fib", "--n", "9", "--n",
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

TEST(Parse, TakesAFileWithTheNameOfACommand) {
  EXPECT_EQ(parse_run({"wordcount", "fib", "list"}).chosen[0].values.files(),
            (std::vector<std::string>{"fib", "list"}));
}

TEST(Parse, AllAreAllWorkloads) {
  const auto request = parse_run({"all", "--repeat", "1"});
  EXPECT_EQ(request.chosen.size(), heist::workloads::all().size());
  EXPECT_TRUE(request.all);
  EXPECT_EQ(request.repeat, 1u);
}

// As HEIST_STACK_SIZE takes it.
TEST(Parse, TakesASizeOfStacksWithASuffix) {
  EXPECT_EQ(parse_run({"fib", "--stack-size", "16M"}).pool.stack_size, std::size_t{16} << 20);
  EXPECT_EQ(parse_run({"fib", "--stack-size", "512k"}).pool.stack_size, std::size_t{512} << 10);
  EXPECT_EQ(parse_run({"fib", "--stack-size", "1G"}).pool.stack_size, std::size_t{1} << 30);
  EXPECT_EQ(parse_run({"--stack-size", "1048576", "fib"}).pool.stack_size, 1048576u);
}

// One way to say how many, whatever the command calls them.
TEST(Parse, TakesBothNamesOfTheNumberOfWorkersEverywhere) {
  const std::vector<std::uint32_t> three = {3};
  for (const std::string p : {"-P 3", "--workers 3"}) {
    EXPECT_EQ(parse_as<run_request>("run fib " + p).pool.workers, 3u);
    EXPECT_EQ(parse_as<run_request>("run " + p + " all").pool.workers, 3u);
    EXPECT_EQ(std::get<step_request>(parse_as<sim_request>("sim --dag fib:5 " + p)).processors,
              three);
    EXPECT_EQ(parse_theory<recycling_request>("recycling " + p).setup.processors, 3u);
    EXPECT_EQ(parse_theory<bounds_request>("bounds --dag figure1 " + p).processors, three);
    EXPECT_EQ(parse_theory<kernel_study_request>("adversaries --dag fib:5 " + p).processes, three);
    EXPECT_EQ(parse_theory<granularity_request>("granularity " + p).setup.processors, 3u);
    EXPECT_EQ(parse_lab<calibrate_request>("calibrate " + p).workers, 3u);
    EXPECT_EQ(parse_lab<forecast_request>("forecast " + p).processors, three);
  }
}

TEST(Parse, TakesWhatIsCommonBeforeTheNameToo) {
  EXPECT_EQ(parse_theory<recycling_request>("--json recycling").form, heist::report::form::json);
  EXPECT_EQ(parse_theory<bounds_request>("--html x bounds --dag figure1").html, "x");
  EXPECT_EQ(parse_theory<bounds_request>("--svg x bounds --dag figure1").svg, "x");
  EXPECT_TRUE(parse_lab<calibrate_request>("--quick --json calibrate").json);
  EXPECT_EQ(parse_lab<forecast_request>("--quick --json forecast").form, heist::report::form::json);
}

TEST(Help, IsACommandToo) {
  for (const std::string name : {"", "run", "run fib", "run all", "sim", "theory", "theory bounds",
                                 "lab", "lab forecast", "list", "info", "help"}) {
    const auto by_command = heist_command(words_of("help " + name));
    EXPECT_EQ(by_command.code, success) << by_command.err;
    EXPECT_EQ(by_command.out, heist_command(words_of(name + " --help")).out);
  }
  EXPECT_THAT(heist_command({"--help"}).out, testing::HasSubstr("\n  help "));
}

// What README.md lists is what the command's help names.
TEST(Help, NamesEveryVariable) {
  const auto help = heist_command({"--help"}).out;
  std::ifstream document(HEIST_TESTS_FOLDER "/../docs/command.md");
  const std::regex row("^\\| `(HEIST_[A-Z_]+)=.*");
  std::size_t found = 0;
  for (std::string line; std::getline(document, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    ++found;
    EXPECT_THAT(help, testing::HasSubstr(match[1].str()));
  }
  EXPECT_GE(found, 5u);
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

TEST(Suggest, FindsTheNearestName) {
  const std::vector<std::string_view> names = {"fib", "quicksort", "mergesort", "uts"};
  EXPECT_EQ(nearest_name("fbi", names), "fib");
  EXPECT_EQ(nearest_name("quiksort", names), "quicksort");
  EXPECT_EQ(nearest_name("mergsrt", names), "mergesort");
  EXPECT_EQ(nearest_name("ust", names), "uts");
}

TEST(Suggest, SaysNothingRatherThanNonsense) {
  const std::vector<std::string_view> names = {"fib", "quicksort"};
  EXPECT_EQ(nearest_name("spreadsheet", names), "");
  EXPECT_EQ(nearest_name("", {}), "");
  EXPECT_EQ(nearest_name("foo", names), "");
  EXPECT_EQ(nearest_name("ab", {"abp", "abcd"}), "abp");
  EXPECT_EQ(nearest_name("x", {"a", "xy"}), "");
}
