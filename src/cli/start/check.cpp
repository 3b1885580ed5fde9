// The program heist-check, which `heist check PROGRAM` becomes, and which becomes that program,
// with HEIST_CHECK set and libheist-check.so preloaded.
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/cli.hpp"
#include "cli/start/start.hpp"
#include "runtime/core/environment.hpp"

namespace heist::cli {

namespace {

constexpr std::string_view help =
    "heist check [--moves] [--block TIME] [--starve TIME] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs a program that uses heist, and reports on stderr deadlocks, and std::mutex and the like\n"
    "that are held across a fork, a spawn or a wait. With -g in the program, by file and line.\n"
    "\n"
    "  --moves        joins continue on other threads as often as they can\n"
    "  --block TIME   also calls that block a worker for longer: 10ms\n"
    "  --starve TIME  also what has waited for its turn for longer: 100ms\n";

// ",block:10ms". Nothing: the option wasn't given.
std::string timed_check(std::string_view option, std::string_view name, const std::string& time) {
  if (time.empty()) return {};
  const std::string check = fmt::format("{}:{}", name, time);
  if (time.find(',') == std::string::npos && detail::parse_checks(check)) return "," + check;
  throw usage_error(fmt::format(
      "check: {} takes a number of ns, us, ms or s, from 1us to 1h, not '{}'", option, time));
}

int run_check(int argc, const char* const* argv, output& out) {
  bool moves = false;
  std::string block;
  std::string starve;
  const std::array options{leading_option{"", "--moves", nullptr, &moves},
                           leading_option{"", "--block", &block, nullptr, "a time, as 10ms"},
                           leading_option{"", "--starve", &starve, nullptr, "a time, as 100ms"}};
  const auto program = read_program("check", argc, argv, options);
  if (!program) {
    out.print("{}", help);
    return success;
  }
  std::string checks = "1,locks";
  if (moves) checks += ",moves";
  checks += timed_check("--block", "block", block);
  checks += timed_check("--starve", "starve", starve);
  set_variable("HEIST_CHECK", checks);
  constexpr std::string_view library = "libheist-check.so";
  prepend_to_variable(
      "LD_PRELOAD",
      folder_of_library("heist", library, "this heist was built without GCC's libbacktrace")
          .append("/")
          .append(library));
  become("check", *program);
}

}  // namespace

}  // namespace heist::cli

int main(int argc, char** argv) {
  return heist::cli::run_and_complain(
      [&](heist::cli::output& out) { return heist::cli::run_check(argc - 1, argv + 1, out); },
      stdout, stderr);
}
