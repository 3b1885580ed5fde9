#include "observe/stats/stats_json.hpp"

#include "observe/stats/meanings.hpp"
#include "platform/json_text.hpp"

namespace heist::inline v0::detail {

namespace {

using platform::json_text;

std::string object_of(const counters& c) {
  std::string to = "{";
  for (const meaning& m : all_meanings()) {
    if (m.counter == nullptr) continue;
    if (to.size() > 1) to += ',';
    to += json_text(m.name) + ":" + std::to_string(c.*m.counter);
  }
  return to + "}";
}

}  // namespace

std::string to_json(const pool_stats& stats) {
  std::string to = "{\"pool\":" + json_text(stats.pool) + ",\"total\":" + object_of(stats.total);
  to += ",\"workers\":[";
  for (const counters& c : stats.workers)
    to += (&c == stats.workers.data() ? "" : ",") + object_of(c);
  to += "]";
  for (const meaning& m : all_meanings())
    if (m.number != nullptr) to += "," + json_text(m.name) + ":" + std::to_string(stats.*m.number);
  return to + "}";
}

}  // namespace heist::inline v0::detail
