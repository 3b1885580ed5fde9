// What heist-bench has: `heist bench`, and the sides of its suites, which nobody starts by hand.
#include <array>
#include <memory>
#include <variant>

#include <heist/config.hpp>
#include <heist/error.hpp>

#include "cli/args/numbers.hpp"
#include "cli/bench/parse_bench.hpp"
#include "cli/program.hpp"

namespace heist::cli {

namespace {

struct run_bench_request {
  const call& with;

  int operator()(const bench_list_request& r) const { return bench_list(r, with.out); }
  int operator()(const bench_request& r) const { return run_bench(r, with.out, with.err); }
  int operator()(const bench_show_request& r) const { return bench_show(r, with.out); }
  int operator()(const bench_suite_request& r) const {
    return run_bench_suite(r, with.out, with.err);
  }
};

action add_bench_command(arguments& own) {
  return read_and(add_bench(own), [](const any_bench_request& request, const call& with) {
    return std::visit(run_bench_request{with}, request);
  });
}

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
    built_in_command{"bench", add_bench_command},
    built_in_command{"side", add_side},
};

}  // namespace

commands bench_commands() { return all; }

}  // namespace heist::cli
