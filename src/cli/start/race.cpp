// The program heist-race, which `heist race` becomes, and which becomes a compiler, with the
// options that a program for the race detector is compiled and linked with; or such a program.
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/args/numbers.hpp"
#include "cli/cli.hpp"
#include "cli/start/start.hpp"

namespace heist::cli {

namespace {

constexpr std::string_view help =
    "heist race -- COMPILER ARGUMENT...\n"
    "heist race [--report FILE] [--suppress FILE] [--exit CODE] PROGRAM [ARGUMENT...]\n"
    "\n"
    "The first form compiles and links with g++ or clang++, so that the program finds its own "
    "races.\n"
    "The second runs such a program: serially, once, and reports on stderr every place where two\n"
    "branches of its forks, loops and tasks would touch the same memory in some schedule.\n"
    "\n"
    "  --report FILE    what was found as JSON\n"
    "  --suppress FILE  a pattern in each line: reports with that in a place are left out\n"
    "  --exit CODE      where races were found: 3\n";

// "/usr/bin/x86_64-linux-gnu-g++-12" is g++.
enum class compiler : std::uint8_t { none, gcc, clang };
compiler compiler_of(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  if (name.find("clang++") != std::string::npos) return compiler::clang;
  const std::string_view text = name;
  for (const std::string_view each : {"g++", "c++"})
    if (text == each || text.find(fmt::format("-{}", each)) != std::string_view::npos ||
        text.starts_with(fmt::format("{}-", each)))
      return compiler::gcc;
  return compiler::none;
}

void add_options(compiler c, const std::string& folder, std::vector<std::string>& to) {
  // In a specification of GCC's driver the compiler gets the option and the linker doesn't, which
  // would add ThreadSanitizer's own library.
  if (c == compiler::gcc)
    to.insert(to.begin() + 1, fmt::format("-specs={}/heist/race.specs", folder));
  else
    to.insert(to.begin() + 1,
              {"-Xclang", "-fsanitize=thread", "-Wno-unused-command-line-argument"});
  to.insert(to.begin() + 1, {"-std=c++20", "-g", "-DHEIST_RACE=1"});
  const auto headers = own_path().parent_path().parent_path() / "include";  // if it is installed
  if (std::filesystem::exists(headers / "heist"))
    to.insert(to.begin() + 1, "-I" + headers.string());
  to.insert(to.end(), {"-L" + folder, "-lheist-race", "-l:libheist.a", "-Wl,-rpath," + folder,
                       "-ldl", "-pthread"});
}

int run_race(int argc, const char* const* argv, output& out) {
  std::string report;
  std::string suppress;
  std::string code;
  const std::array options{leading_option{"", "--report", &report, nullptr, "a file"},
                           leading_option{"", "--suppress", &suppress, nullptr, "a file"},
                           leading_option{"", "--exit", &code, nullptr, "a number"}};
  auto program = read_program("race", argc, argv, options);
  if (!program) {
    out.print("{}", help);
    return success;
  }
  if (const compiler c = compiler_of(program->front()); c != compiler::none) {
    const std::string folder = folder_of_library("", "libheist-race.so",
                                                 "this heist was built without GCC's libbacktrace");
    add_options(c, std::filesystem::path(folder).parent_path().string(), *program);
    become("race", *program);
  }
  std::string how;
  if (!report.empty()) how += fmt::format(",report:{}", report);
  if (!suppress.empty()) how += fmt::format(",suppress:{}", suppress);
  if (!code.empty()) how += fmt::format(",exit:{}", whole_number("race", "--exit", code, 0, 255));
  if (!how.empty()) set_variable("HEIST_RACE", how.substr(1));
  become("race", *program);
}

}  // namespace

}  // namespace heist::cli

int main(int argc, char** argv) {
  return heist::cli::run_and_complain(
      [&](heist::cli::output& out) { return heist::cli::run_race(argc - 1, argv + 1, out); },
      stdout, stderr);
}
