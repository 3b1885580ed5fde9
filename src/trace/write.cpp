#include "trace/write.hpp"

#include <algorithm>
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
#include "trace/stored.hpp"

namespace heist::inline v0::trace {

namespace {

using platform::json_text;

// Everything but the events and the duration: an object with program, machine, version, processors,
// clock, ending, lanes, names and statistics.
std::string head_object(const log& recorded) {
  std::string to = "{\"program\":" + json_text(recorded.program);
  to += ",\"machine\":" + json_text(recorded.machine);
  to += ",\"version\":" + json_text(recorded.version);
  to += ",\"processors\":" + std::to_string(recorded.processors);
  to += ",\"clock\":" + json_text(recorded.clock);
  to += ",\"ending\":" + std::to_string(static_cast<unsigned>(recorded.end));
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
    each_slice(from_, foresee(from_), [this](const slice& s) { add_slice(s); });
    from_.each_event([this](const event& e) { add_event(e); });
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
    const lane_now& what = s.what;
    const bool has_region = what.state == lane_state::working && what.region != 0;
    const std::string name =
        has_region ? quoted_names_[what.region]
                   : '"' + std::string(state_names[static_cast<std::size_t>(what.state)]) + '"';
    add("{\"ph\":\"X\",\"pid\":1,\"cat\":\"state\",\"name\":" + name +
        ",\"tid\":" + std::to_string(s.lane + 1) + ",\"ts\":" + microseconds(s.begin_ns) +
        ",\"dur\":" + microseconds(s.end_ns - s.begin_ns) +
        (what.state == lane_state::idle || what.state == lane_state::parked
             ? ",\"args\":{\"why\":\"" +
                   std::string(idle_names[static_cast<std::size_t>(what.why)]) + "\"}}"
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

template <class T>
std::string_view bytes_of(const T& what) {
  return {reinterpret_cast<const char*>(&what), sizeof(what)};
}

}  // namespace

void each_text_about(const log& recorded,
                     const std::function<void(text_head, std::string_view)>& see) {
  const auto say = [&see](text_kind kind, std::string_view text, std::uint32_t index = 0) {
    see({.kind = static_cast<std::uint32_t>(kind), .index = index}, text);
  };
  say(text_kind::program, recorded.program);
  say(text_kind::machine, recorded.machine);
  say(text_kind::version, recorded.version);
  say(text_kind::clock, recorded.clock);
  say(text_kind::processors, "", recorded.processors);
}

text_head head_of(const lane& l, std::uint32_t number, std::uint32_t before) {
  return {.kind = static_cast<std::uint32_t>(text_kind::lane),
          .index = number,
          .is_worker = l.is_worker ? 1U : 0U,
          .pool = l.pool,
          .worker = l.worker,
          .before = before};
}
text_head head_of_name(std::uint32_t number) {
  return {.kind = static_cast<std::uint32_t>(text_kind::name), .index = number};
}
text_head head_of_statistics() {
  return {.kind = static_cast<std::uint32_t>(text_kind::statistics)};
}

namespace {

std::string text_chunk_of(const log& recorded) {
  std::string texts;
  const auto add = [&texts](text_head head, std::string_view text) {
    head.bytes = static_cast<std::uint32_t>(text.size());
    texts += bytes_of(head);
    texts += text;
    texts.append(padded(text.size()) - text.size(), '\0');
  };
  each_text_about(recorded, add);
  for (std::uint32_t i = 0; i < recorded.lanes.size(); ++i)
    add(head_of(recorded.lanes[i], i, nothing_before), recorded.lanes[i].name);
  for (std::uint32_t i = 1; i < recorded.names.size(); ++i) add(head_of_name(i), recorded.names[i]);
  if (!recorded.statistics_json.empty()) add(head_of_statistics(), recorded.statistics_json);
  const auto used = static_cast<std::uint32_t>(texts.size());
  const chunk_head head{static_cast<std::uint32_t>(chunk_kind::texts),
                        static_cast<std::uint32_t>(sizeof(chunk_head)) + used, 0, used, 0};
  return std::string(bytes_of(head)) + texts;
}

// The lanes' events in chunks, each written when it is full.
class chunk_writer {
 public:
  chunk_writer(const log& recorded, sink& to)
      : from_(recorded), to_(to), lanes_(recorded.lanes.size()) {}

  void write() {
    const std::string texts = text_chunk_of(from_);
    from_.each_event([this](const event& e) { ++lanes_[e.lane].left; });
    stored_head head{};
    std::copy(stored_magic.begin(), stored_magic.end(), head.magic);
    head.version = stored_version;
    head.end = static_cast<std::uint32_t>(from_.end);
    head.used = head_bytes + texts.size();
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      lane_part& l = lanes_[i];
      l.head = {static_cast<std::uint32_t>(chunk_kind::events), 0, static_cast<std::uint32_t>(i), 0,
                from_.lanes[i].lost_events};
      head.used += bytes_of_chunks(l.left);
    }
    head.latest_ticks = head.latest_ns = from_.duration_ns;
    head.ns_per_tick = 1;
    to_.write(bytes_of(head));
    to_.write(std::string(head_bytes - sizeof(head), '\0'));
    to_.write(texts);
    from_.each_event([this](const event& e) { add(e); });
  }

 private:
  static constexpr std::size_t events_in_chunk = 512;
  struct lane_part {
    std::uint64_t left = 0;  // events that no chunk has yet
    chunk_head head{};
    std::vector<packed_event> events;
  };

  static std::uint64_t bytes_of_chunks(std::uint64_t events) {
    const std::uint64_t chunks = (events + events_in_chunk - 1) / events_in_chunk;
    return chunks * sizeof(chunk_head) + events * sizeof(packed_event);
  }
  void add(const event& e) {
    lane_part& l = lanes_[e.lane];
    l.events.push_back(pack(e.time_ns, e.kind, e.name, e.a, e.b, e.value));
    if (--l.left != 0 && l.events.size() < events_in_chunk) return;
    l.head.used = static_cast<std::uint32_t>(l.events.size() * sizeof(packed_event));
    l.head.bytes = static_cast<std::uint32_t>(sizeof(chunk_head)) + l.head.used;
    to_.write(bytes_of(l.head));
    to_.write({reinterpret_cast<const char*>(l.events.data()), l.head.used});
    l.head.first += l.events.size();
    l.events.clear();
  }

  const log& from_;
  sink& to_;
  std::vector<lane_part> lanes_;
};

}  // namespace

void write_binary(const log& recorded, sink& to) { chunk_writer(recorded, to).write(); }

}  // namespace heist::inline v0::trace
