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

// ---- lane_slices.hpp

namespace heist::inline v0::trace {

namespace {

// Of usage events, whose numbers go on.
struct last_usage {
  bool is_known = false;
  double processor_ns = 0;
  std::uint64_t ready_ns = 0;
};

void add_usage(const event& e, last_usage& last, foresight& to) {
  const bool tells = e.a != no_lane || e.b != no_lane;
  const std::uint64_t ready = std::uint64_t{e.a} << 32U | e.b;
  if (tells && last.is_known && e.value >= last.processor_ns && ready >= last.ready_ns) {
    foresight::lane& l = to.lanes[e.lane];
    const double ran = e.value - last.processor_ns;
    const auto waited = static_cast<double>(ready - last.ready_ns);
    l.used.push_back({e.time_ns, ran + waited > 0 ? static_cast<float>(ran / (ran + waited)) : 1});
    l.processor_ns += static_cast<std::uint64_t>(ran);
    l.ready_ns += ready - last.ready_ns;
  }
  to.knows_usage = to.knows_usage || tells;
  last = {tells, e.value, ready};
}

}  // namespace

foresight foresee(const log& recorded) {
  foresight to;
  to.lanes.resize(recorded.lanes.size());
  for (foresight::lane& l : to.lanes) l.spells.push_back(idle_why::no_work);
  std::vector<last_usage> last(to.lanes.size());
  recorded.each_event([&](const event& e) {
    std::vector<idle_why>& spells = to.lanes[e.lane].spells;
    switch (e.kind) {
      case event_kind::idle_end:
        spells.back() = static_cast<idle_why>(e.a & 3U);
        spells.push_back(idle_why::no_work);
        break;
      case event_kind::idle_begin:
        spells.push_back(idle_why::no_work);
        break;
      case event_kind::usage:
        add_usage(e, last[e.lane], to);
        break;
      default:
        break;
    }
  });
  return to;
}

lane_follower::lane_follower(const log& recorded, const foresight& ahead)
    : ahead_(ahead), lanes_(recorded.lanes.size()) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i].is_worker = recorded.lanes[i].is_worker;
}

const lane_now& lane_follower::see(const event& e) {
  followed& l = lanes_[e.lane];
  const auto go_on = [&l](lane_state s, std::uint32_t region) {
    l.now = {true, s, region, idle_why::no_work, l.is_worker || l.in_job};
  };
  const auto rest = [&](lane_state s) {
    go_on(s, 0);
    l.now.why = ahead_.lanes[e.lane].spells[l.spell];
  };
  // A thread that is no worker shows only what it does.
  const auto work_or_leave = [&](bool stays, std::uint32_t region) {
    if (l.is_worker || stays)
      go_on(lane_state::working, region);
    else
      l.now = {};
  };
  switch (e.kind) {
    case event_kind::job_begin:
    case event_kind::resume:
      l.in_job = true;
      go_on(lane_state::working, e.name);
      break;
    case event_kind::job_end:
    case event_kind::suspend:
      l.in_job = false;
      work_or_leave(false, 0);
      break;
    case event_kind::region_begin:
      go_on(lane_state::working, e.name);
      break;
    case event_kind::region_end:
      work_or_leave(e.b != 0 || l.in_job, e.b);
      break;
    case event_kind::idle_begin:
      ++l.spell;
      rest(lane_state::idle);
      break;
    case event_kind::idle_end:
      ++l.spell;
      work_or_leave(l.in_job, 0);
      break;
    case event_kind::park:
      rest(lane_state::parked);
      break;
    case event_kind::wake:
      rest(lane_state::idle);
      break;
    case event_kind::block_begin:
      go_on(lane_state::blocked, 0);
      break;
    case event_kind::block_end:
      work_or_leave(false, 0);
      break;
    case event_kind::leave:
      l.now = {};
      break;
    case event_kind::expose:
    case event_kind::steal:
    case event_kind::counter:
    case event_kind::usage:
      break;
  }
  return l.now;
}

void each_slice(const log& recorded, const foresight& ahead,
                const std::function<void(const slice&)>& see) {
  lane_follower lanes(recorded, ahead);
  std::vector<slice> open(recorded.lanes.size());
  for (std::uint32_t i = 0; i < open.size(); ++i) open[i].lane = i;
  const auto close = [&see](slice& s, std::uint64_t at, const lane_now& next) {
    s.end_ns = at;
    if (s.what.is_there && s.end_ns > s.begin_ns) see(s);
    s.begin_ns = at;
    s.what = next;
  };
  recorded.each_event([&](const event& e) {
    const lane_now& next = lanes.see(e);
    if (slice& s = open[e.lane]; !(next == s.what)) close(s, e.time_ns, next);
  });
  for (slice& s : open) close(s, recorded.duration_ns, {});
}

}  // namespace heist::inline v0::trace
