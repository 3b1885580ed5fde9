#include "trace/head_object.hpp"

#include "platform/json_text.hpp"

namespace heist::inline v0::trace {

using platform::json_text;

std::string head_object(const log& recorded) {
  std::string to = "{\"program\":" + json_text(recorded.program);
  to += ",\"machine\":" + json_text(recorded.machine);
  to += ",\"version\":" + json_text(recorded.version);
  to += ",\"processors\":" + std::to_string(recorded.processors);
  to += ",\"clock\":" + json_text(recorded.clock);
  to += ",\"lanes\":[";
  const char* comma = "";
  for (const lane& l : recorded.lanes) {
    to += comma;
    to += "{\"name\":" + json_text(l.name);
    to += ",\"pool\":" + std::to_string(l.pool);
    to += ",\"worker\":" + std::to_string(l.worker);
    to += l.is_worker ? ",\"is_worker\":true" : ",\"is_worker\":false";
    to += ",\"lost_events\":" + std::to_string(l.lost_events) + "}";
    comma = ",";
  }
  to += "],\"names\":[";
  comma = "";
  for (const std::string& name : recorded.names) {
    to += comma;
    to += json_text(name);
    comma = ",";
  }
  to += "],\"statistics\":";
  to += recorded.statistics_json.empty() ? "null" : recorded.statistics_json;
  return to += "}";
}

}  // namespace heist::inline v0::trace
