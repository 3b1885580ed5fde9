#include "cli/tbb/parse_tbb.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include <heist/config.hpp>
#include <heist/error.hpp>

#include "cli/args/numbers.hpp"

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

// The number of `-P N`, `-PN`, `--workers N` or `--workers=N`, at arguments[i], which becomes the
// place of its last word; nullptr: it is another option.
const char* number_of_workers(int argc, const char* const* argv, int& i) {
  constexpr std::string_view longer = "--workers=";
  const std::string_view option = argv[i];
  if (option.starts_with(longer)) return argv[i] + longer.size();
  if (option.starts_with("-P") && option.size() > 2) return argv[i] + 2;
  if (option != "-P" && option != "--workers") return nullptr;
  if (++i == argc) throw usage_error(fmt::format("tbb: {} takes a number", option));
  return argv[i];
}

}  // namespace

std::variant<std::string, tbb_request> parse_tbb(int argc, const char* const* argv) {
  tbb_request request;
  int i = 0;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "-h") return std::string(help);
    if (option == "--stats") {
      request.stats = true;
    } else if (const char* const number = number_of_workers(argc, argv, i)) {
      request.workers = number;
      static_cast<void>(
          whole_number("tbb", "--workers", request.workers, 1, pool_config::max_workers));
    } else if (option == "--") {
      ++i;
      break;
    } else {
      throw usage_error(fmt::format("tbb: no option {}; see heist tbb --help", option));
    }
  }
  request.program.assign(argv + i, argv + argc);
  if (request.program.empty())
    throw usage_error("tbb: name a program: heist tbb PROGRAM [ARGUMENT...]");
  return request;
}

}  // namespace heist::cli
