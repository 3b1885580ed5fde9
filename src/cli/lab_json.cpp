#include "cli/lab_json.hpp"

#include <nlohmann/json.hpp>

#include <heist/version.hpp>

namespace heist::cli {

namespace {

using json = nlohmann::ordered_json;

std::string text_of(const json& value, int indent = -1) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

json as_json(const report::samples& values) {
  return {{"median", values.median()},
          {"least", values.least()},
          {"greatest", values.greatest()},
          {"samples", values.size()}};
}

json as_json(const report::summary& of) {
  json result = {{"mean", of.mean}, {"least", of.least}, {"greatest", of.greatest}};
  if (of.count < 2) return result;
  const auto interval = report::mean_interval(of);
  result["low_95"] = interval.low;
  result["high_95"] = interval.high;
  return result;
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
  return text_of(whole, 2) + '\n';
}

std::string to_json(const calibration::checked_row& row) {
  return text_of({{"kind", "check"},
                  {"program", row.program},
                  {"dag", row.dag},
                  {"processors", row.processors},
                  {"forks", row.forks},
                  {"fork_ns", row.fork_ns},
                  {"instruction_ns", row.instruction_ns},
                  {"busy_factor", row.busy_factor},
                  {"real_s", as_json(row.real)},
                  {"simulated_s", as_json(row.simulated)},
                  {"difference", row.difference()},
                  {"within_15_percent", row.agrees()}});
}

std::string to_json(const calibration::forecast_row& row) {
  return text_of({{"kind", "forecast"},
                  {"program", row.program},
                  {"dag", row.dag},
                  {"processors", row.processors},
                  {"instruction_ns", row.instruction_ns},
                  {"serial_s", row.serial_s},
                  {"seconds", as_json(row.seconds)},
                  {"speedup", row.speedup()},
                  {"work_share", row.work_share},
                  {"overhead_share", row.overhead_share},
                  {"asleep_share", row.asleep_share},
                  {"steals", row.steals}});
}

}  // namespace heist::cli
