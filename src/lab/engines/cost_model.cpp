#include "lab/engines/cost_model.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "platform/utf8.hpp"
#include "report/json_part.hpp"
#include "report/text_file.hpp"

namespace heist::lab {

namespace {

using report::json_part;

constexpr std::string_view format_name = "heist costs 1";
constexpr int deepest = 8;  // levels of objects and arrays
constexpr std::size_t most_distances = 16;

// A number, or a figure of an object as calibrate writes it.
double number(const json_part& value, double least, double most, const measured_figure& figure) {
  if (!value.is_object()) return value.number(least, most);
  double result = value["median"].number(least, most);
  for (const auto& each : {lower_quartile, upper_quartile}) {
    if (!value.has(each.name)) continue;
    const double quartile = value[each.name].number(least, most);
    if (each.quantile == figure.quantile) result = quartile;
  }
  return result;
}
double duration_ns(const json_part& value, const measured_figure& figure, double least = 0) {
  return number(value, least, cost_model::max_ns, figure);
}

std::vector<cost_model::distance> distances_of(const json_part& from,
                                               const measured_figure& figure) {
  std::vector<cost_model::distance> result;
  for (const auto& each : from.elements()) {
    each.has_only({"name", "processors", "steal_ns", "failed_attempt_ns"});
    const double processors = each["processors"].number(1, 1e9);
    if (processors != std::floor(processors)) each["processors"].refuse("a whole number");
    if (!result.empty() && processors <= result.back().processors)
      each["processors"].refuse("more than that of the one before");
    result.push_back({static_cast<std::uint32_t>(processors), duration_ns(each["steal_ns"], figure),
                      duration_ns(each["failed_attempt_ns"], figure, 1)});
  }
  if (result.empty() || result.size() > most_distances)
    from.refuse(fmt::format("an array of 1 to {} objects", most_distances));
  return result;
}

}  // namespace

cost_model costs_from_json(std::string_view text, std::string_view file,
                           const measured_figure& figure) {
  if (text.size() > max_cost_file)
    throw usage_error(
        fmt::format("{}: a file with costs has at most {} bytes", file, max_cost_file));
  const report::text_position place(text, file);
  const auto parsed = report::parse_json_file(place, deepest);
  const json_part whole(parsed, "", place);
  whole.has_only({"format", "machine", "workers", "costs", "distances", "doubts"});
  whole["format"].must_be(format_name);
  const auto costs = whole["costs"];
  costs.has_only({"instruction_ns", "fork_ns", "steal_ns", "failed_attempt_ns", "quiet_steal_ns",
                  "suspend_ns", "wake_ns", "waking_ns", "awake_ns", "busy_factor"});
  cost_model result;
  result.fork_ns = duration_ns(costs["fork_ns"], figure);
  result.steal_ns = duration_ns(costs["steal_ns"], figure);
  result.failed_attempt_ns = duration_ns(costs["failed_attempt_ns"], figure, 1);
  result.suspend_ns = duration_ns(costs["suspend_ns"], figure);
  result.wake_ns = duration_ns(costs["wake_ns"], figure);
  result.quiet_steal_ns =
      costs.has("quiet_steal_ns") ? duration_ns(costs["quiet_steal_ns"], figure) : result.steal_ns;
  if (costs.has("waking_ns")) result.waking_ns = duration_ns(costs["waking_ns"], figure);
  if (costs.has("instruction_ns"))
    result.instruction_ns = duration_ns(costs["instruction_ns"], figure, 1e-3);
  if (costs.has("busy_factor"))
    result.busy_factor = number(costs["busy_factor"], 0.1, 1000, figure);
  if (costs.has("awake_ns")) result.awake_ns = duration_ns(costs["awake_ns"], figure);
  if (whole.has("distances")) result.distances = distances_of(whole["distances"], figure);
  if (whole.has("doubts"))
    for (const auto& each : whole["doubts"].elements())
      result.doubts.push_back(platform::printable(each.text(), 200));
  return result;
}

cost_model costs_from_file(const std::string& path, const measured_figure& figure) {
  return costs_from_json(report::read_text_file(path, max_cost_file), path, figure);
}

}  // namespace heist::lab
