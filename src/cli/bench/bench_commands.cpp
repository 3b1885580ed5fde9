// What heist-bench has: `heist bench`, and the sides of its suites, which nobody starts by hand.
#include <array>
#include <memory>

#include <heist/config.hpp>
#include <heist/error.hpp>

#include "cli/args/numbers.hpp"
#include "cli/bench/requests.hpp"
#include "cli/program.hpp"

namespace heist::cli {

namespace {

action add_side(arguments& own) {
  struct texts {
    side_request request;
    std::string workers;
  };
  const auto given = std::make_shared<texts>();
  own.add({"program", &given->request.program, ""});
  own.add({"workers", &given->workers, ""});
  own.add({"preset", &given->request.preset, ""});
  own.add({"settings", &given->request.settings, ""});
  return [given](const call&) {
    if (given->request.preset.empty())
      throw usage_error("side takes a program, workers, a preset and settings");
    given->request.workers = static_cast<unsigned>(
        whole_number("side", "workers", given->workers, 1, pool_config::max_workers));
    return serve_side(given->request, stdin, stdout);
  };
}

constexpr std::array all = {
    built_in_command{"bench", add_command<add_bench, run_any_bench>},
    built_in_command{"side", add_side},
};

}  // namespace

commands bench_commands() { return all; }

}  // namespace heist::cli
