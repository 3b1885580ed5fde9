#include "cli/args/parse_tbb.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include <heist/config.hpp>
#include <heist/error.hpp>

#include "cli/args/numbers.hpp"

namespace heist::cli {

namespace {

constexpr std::string_view help =
    "heist tbb [--workers N] [--stats] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs a program that was linked with oneTBB 2021 (libtbb.so.12) on heist's workers.\n"
    "\n"
    "  --workers N  how many workers the pool has (HEIST_WORKERS)\n"
    "  --stats      at the end, what the arenas and the pool did (HEIST_STATS=1)\n";

}  // namespace

any_request parse_tbb(int argc, const char* const* argv) {
  tbb_request request;
  int i = 0;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "-h") return text_request{std::string(help)};
    if (option == "--stats") {
      request.stats = true;
    } else if (option == "--workers") {
      if (++i == argc) throw usage_error("tbb: --workers takes a number");
      request.workers = argv[i];
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
