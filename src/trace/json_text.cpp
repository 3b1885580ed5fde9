#include "trace/json_text.hpp"

#include <cstddef>
#include <cstdio>

#include "platform/utf8.hpp"

namespace heist::inline v0::trace {

std::string quoted(std::string_view text) {
  std::string to = "\"";
  while (!text.empty()) {
    const std::size_t length = platform::character_at(text);
    const char c = text.front();
    if (length == 0) {
      to += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<') {  // '<': harmless within HTML too
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04x", static_cast<unsigned>(c));
      to += code;
    } else {
      to += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return to += '"';
}

std::string head_object(const log& recorded) {
  std::string to = "{\"program\":" + quoted(recorded.program);
  to += ",\"machine\":" + quoted(recorded.machine);
  to += ",\"version\":" + quoted(recorded.version);
  to += ",\"processors\":" + std::to_string(recorded.processors);
  to += ",\"clock\":" + quoted(recorded.clock);
  to += ",\"lanes\":[";
  const char* comma = "";
  for (const lane& l : recorded.lanes) {
    to += comma;
    to += "{\"name\":" + quoted(l.name);
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
    to += quoted(name);
    comma = ",";
  }
  to += "],\"statistics\":";
  to += recorded.statistics_json.empty() ? "null" : recorded.statistics_json;
  return to += "}";
}

}  // namespace heist::inline v0::trace
