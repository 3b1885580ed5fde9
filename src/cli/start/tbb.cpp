// The program heist-tbb, which `heist tbb PROGRAM` becomes, and which becomes that program, with
// heist's libtbb.so.12 before oneTBB's own in the loader's path. So any program that was linked
// with oneTBB runs on heist's workers.
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include <heist/config.hpp>

#include "cli/args/numbers.hpp"
#include "cli/cli.hpp"
#include "cli/start/start.hpp"

namespace heist::cli {

namespace {

constexpr std::string_view help =
    "heist tbb [-P N] [--stats] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs a program that was linked with oneTBB 2021 (libtbb.so.12) on heist's workers.\n"
    "\n"
    "  -P,--workers N  how many workers the pool has (HEIST_WORKERS)\n"
    "  --stats         at the end, what the arenas and the pool did (HEIST_STATS=1, unless it is\n"
    "                  set to more)\n";

// Whether the environment asks for them, perhaps for more than --stats does.
bool has_statistics() {
  const char* const asked = std::getenv("HEIST_STATS");
  return asked != nullptr && *asked != '\0' && std::string_view(asked) != "0";
}

int run_tbb(int argc, const char* const* argv, output& out) {
  std::string workers;
  bool stats = false;
  const std::array options{leading_option{"-P", "--workers", &workers, nullptr, "a number"},
                           leading_option{"", "--stats", nullptr, &stats}};
  const auto program = read_program("tbb", argc, argv, options);
  if (!program) {
    out.print("{}", help);
    return success;
  }
  if (!workers.empty()) {
    static_cast<void>(whole_number("tbb", "--workers", workers, 1, pool_config::max_workers));
    set_variable("HEIST_WORKERS", workers);
  }
  prepend_to_variable("LD_LIBRARY_PATH",
                      folder_of_library("heist-tbb", "libtbb.so.12",
                                        "this heist was built without oneTBB's headers (Debian: "
                                        "libtbb-dev)"));
  if (stats && !has_statistics()) set_variable("HEIST_STATS", "1");
  become("tbb", *program);
}

}  // namespace

}  // namespace heist::cli

int main(int argc, char** argv) {
  return heist::cli::run_and_complain(
      [&](heist::cli::output& out) { return heist::cli::run_tbb(argc - 1, argv + 1, out); }, stdout,
      stderr);
}
