#include "cli/bench/bench_json.hpp"

#include <nlohmann/json.hpp>

#include "cli/option_json.hpp"

namespace heist::cli {

std::string to_json(const bench::benchmark& benchmark) {
  return on_one_line({{"name", benchmark.name},
                      {"summary", benchmark.summary},
                      {"options", json_of(benchmark.options(bench::scale::full))}});
}

std::string to_json(const bench::suite& suite) {
  auto programs = nlohmann::ordered_json::array();
  for (const auto& each : suite.programs)
    programs.push_back({{"name", each.name}, {"settings", each.settings}});
  return on_one_line({{"suite", suite.name}, {"summary", suite.summary}, {"programs", programs}});
}

}  // namespace heist::cli
