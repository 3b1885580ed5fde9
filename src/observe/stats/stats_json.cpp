#include "observe/stats/stats_json.hpp"

#include <string_view>

#include "observe/stats/counter_table.hpp"
#include "trace/json_text.hpp"

namespace heist::inline v0::detail {

namespace {

std::string object_of(const counters& c) {
  std::string to = "{";
  for (const counter_metric& m : counter_metrics) {
    std::string_view name = m.name;
    name.remove_prefix(std::string_view("heist_").size());
    name.remove_suffix(std::string_view("_total").size());
    if (to.size() > 1) to += ',';
    to += trace::quoted(name) + ":" + std::to_string(c.*m.field);
  }
  return to + "}";
}

}  // namespace

std::string to_json(const pool_stats& stats) {
  std::string to =
      "{\"pool\":" + trace::quoted(stats.pool) + ",\"total\":" + object_of(stats.total);
  to += ",\"workers\":[";
  for (const counters& c : stats.workers)
    to += (&c == stats.workers.data() ? "" : ",") + object_of(c);
  to += "],\"stacks_in_use\":" + std::to_string(stats.stacks_in_use);
  to += ",\"stacks_peak\":" + std::to_string(stats.stacks_peak);
  to += ",\"stacks_mapped\":" + std::to_string(stats.stacks_mapped);
  to += ",\"blocking_calls\":" + std::to_string(stats.blocking_calls);
  return to + "}";
}

}  // namespace heist::inline v0::detail
