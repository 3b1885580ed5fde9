#include "trace/write.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "platform/json_text.hpp"
#include "trace/lane_slices.hpp"

namespace heist::inline v0::trace {

namespace {

using platform::json_text;

// What both forms begin with: everything but the events and the duration, an object with program,
// machine, version, processors, clock, lanes, names and statistics.
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

}  // namespace

// ---- Chrome's JSON.
//
// Each event is an instant of category "heist" with all of its fields as arguments; the reader
// needs nothing else. What viewers draw is derived from them: slices of what each lane did, an
// arrow for each steal, and a counter's curve.

namespace {

class chrome_writer {
 public:
  chrome_writer(const log& recorded, sink& to) : from_(recorded), to_(to) {
    for (const std::string& name : recorded.names) quoted_names_.push_back(json_text(name));
  }

  void write() {
    to_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    add("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":" +
        json_text(from_.program) + "}}");
    for (std::size_t i = 0; i < from_.lanes.size(); ++i)
      add("{\"ph\":\"M\",\"pid\":1,\"tid\":" + std::to_string(i + 1) +
          ",\"name\":\"thread_name\",\"args\":{\"name\":" + json_text(from_.lanes[i].name) + "}}");
    for (const slice& s : slices_of(from_)) add_slice(s);
    for (const event& e : from_.events) add_event(e);
    to_.write("],\n\"heist\":" + head_object(from_) +
              ",\n\"duration_ns\":" + std::to_string(from_.duration_ns) + "}\n");
  }

 private:
  // One element of the array, on a line of its own.
  void add(std::string_view element) {
    to_.write(is_first_ ? "\n" : ",\n");
    is_first_ = false;
    to_.write(element);
  }
  [[gnu::format(printf, 2, 3)]] void addf(const char* format, ...) {
    va_list values;
    va_start(values, format);
    char text[512];
    const int length = std::vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    add({text, static_cast<std::size_t>(length)});
  }

  void add_slice(const slice& s) {
    const bool has_region = s.state == lane_state::working && s.region != 0;
    const std::string name =
        has_region ? quoted_names_[s.region]
                   : '"' + std::string(state_names[static_cast<std::size_t>(s.state)]) + '"';
    add("{\"ph\":\"X\",\"pid\":1,\"cat\":\"state\",\"name\":" + name +
        ",\"tid\":" + std::to_string(s.lane + 1) + ",\"ts\":" + microseconds(s.begin_ns) +
        ",\"dur\":" + microseconds(s.end_ns - s.begin_ns) +
        (s.state == lane_state::idle || s.state == lane_state::parked
             ? ",\"args\":{\"why\":\"" + std::string(idle_names[static_cast<std::size_t>(s.why)]) +
                   "\"}}"
             : "}"));
  }
  void add_event(const event& e) {
    const std::string at = microseconds(e.time_ns);
    // JSON has no number for what isn't finite.
    const double value = std::isfinite(e.value) ? e.value : 0;
    addf("{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"cat\":\"heist\",\"name\":\"%s\",\"tid\":%" PRIu32
         ",\"ts\":%s,\"args\":{\"t\":%" PRIu64 ",\"n\":%" PRIu32 ",\"a\":%" PRIu32 ",\"b\":%" PRIu32
         ",\"v\":%s}}",
         event_names[static_cast<std::size_t>(e.kind)], e.lane + 1, at.c_str(), e.time_ns, e.name,
         e.a, e.b, number(value).c_str());
    if (e.kind == event_kind::steal && e.a != no_lane) add_arrow(e, at);
    if (e.kind == event_kind::counter)
      add("{\"ph\":\"C\",\"pid\":1,\"cat\":\"counter\",\"name\":" + quoted_names_[e.name] +
          ",\"ts\":" + at + ",\"args\":{\"value\":" + number(value) + "}}");
  }
  void add_arrow(const event& e, const std::string& at) {
    ++arrows_;
    addf("{\"ph\":\"s\",\"pid\":1,\"cat\":\"steal\",\"name\":\"steal\",\"id\":%" PRIu64
         ",\"tid\":%" PRIu32 ",\"ts\":%s}",
         arrows_, e.a + 1, at.c_str());
    addf("{\"ph\":\"f\",\"bp\":\"e\",\"pid\":1,\"cat\":\"steal\",\"name\":\"steal\",\"id\":%" PRIu64
         ",\"tid\":%" PRIu32 ",\"ts\":%s}",
         arrows_, e.lane + 1, at.c_str());
  }
  static std::string microseconds(std::uint64_t ns) {
    char text[40];
    std::snprintf(text, sizeof(text), "%" PRIu64 ".%03u", ns / 1000,
                  static_cast<unsigned>(ns % 1000));
    return text;
  }
  static std::string number(double value) {
    char text[40];  // std::to_chars: not of the locale
    return {text, std::to_chars(text, text + sizeof(text), value).ptr};
  }

  const log& from_;
  sink& to_;
  std::vector<std::string> quoted_names_;
  bool is_first_ = true;
  std::uint64_t arrows_ = 0;
};

}  // namespace

void write_chrome_json(const log& recorded, sink& to) { chrome_writer(recorded, to).write(); }

// ---- The compact form.

namespace {

// Little-endian, on every machine.
template <class T>
char* put(char* at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) *at++ = static_cast<char>(value >> (8 * i) & 0xFFU);
  return at;
}

std::array<char, binary_event_bytes> bytes_of(const event& e) {
  std::array<char, binary_event_bytes> bytes{};
  char* at = put(bytes.data(), e.time_ns);
  at = put(at, std::bit_cast<std::uint64_t>(e.value));
  at = put(at, e.lane << 8U | static_cast<std::uint32_t>(e.kind));
  at = put(at, e.name);
  at = put(at, e.a);
  put(at, e.b);
  return bytes;
}

}  // namespace

void write_binary(const log& recorded, sink& to) {
  const std::string text = head_object(recorded);
  std::array<char, binary_head_bytes> head{};
  char* at = std::copy(binary_magic.begin(), binary_magic.end(), head.data());
  at = put(at, binary_version);
  at = put(at, static_cast<std::uint32_t>(text.size()));
  at = put(at, std::uint64_t{recorded.events.size()});
  put(at, recorded.duration_ns);
  to.write({head.data(), head.size()});
  to.write(text);
  for (const event& e : recorded.events) {
    const auto bytes = bytes_of(e);
    to.write({bytes.data(), bytes.size()});
  }
}

}  // namespace heist::inline v0::trace
