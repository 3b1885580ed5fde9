#include "cli/lab/lab_json.hpp"

#include <nlohmann/json.hpp>

#include <heist/version.hpp>

namespace heist::cli {

namespace {

using json = nlohmann::ordered_json;

json as_json(const report::samples& values) {
  return {{"median", values.median()},
          {"lower_quartile", values.quantile(0.25)},
          {"upper_quartile", values.quantile(0.75)},
          {"least", values.least()},
          {"greatest", values.greatest()},
          {"samples", values.size()}};
}

}  // namespace

std::string to_json(const calibration::measured_costs& costs) {
  json values = json::object();
  for (const auto& each : costs.costs) values[each.name] = as_json(each.values);
  json whole = {{"format", "heist costs 1"},
                {"machine",
                 {{"cpu", costs.machine.cpu},
                  {"processors", costs.machine.processors},
                  {"topology", costs.topology},
                  {"kernel", costs.machine.kernel},
                  {"compiler", costs.machine.compiler},
                  {"flags", costs.machine.flags},
                  {"optimised", costs.machine.is_optimised},
                  {"heist", HEIST_VERSION_STRING}}},
                {"workers", costs.workers},
                {"costs", values}};
  if (!costs.distances.empty()) {
    json distances = json::array();
    for (const auto& each : costs.distances)
      distances.push_back({{"name", each.name},
                           {"processors", each.processors},
                           {"steal_ns", as_json(each.steal_ns)},
                           {"failed_attempt_ns", as_json(each.failed_attempt_ns)}});
    whole["distances"] = distances;
  }
  if (const auto doubts = costs.doubts(); !doubts.empty()) whole["doubts"] = doubts;
  return whole.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace heist::cli
