#include "trace/stored.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "heist/version.hpp"
#include "trace/lane_slices.hpp"

namespace heist::inline v0::trace {

namespace {

constexpr std::uint32_t max_lanes = 65536;
constexpr std::uint32_t max_names = 1U << 20U;
constexpr std::uint64_t late_enough_ns = 10'000'000;          // for the rate of the clock
constexpr std::uint64_t longest_ns = 10'000'000'000'000'000;  // 115 days

// Of events, somewhere in the source.
struct part {
  std::uint64_t first;  // how many events the lane had before
  std::uint64_t at;
  std::uint32_t count;
};

struct event_clock {
  std::uint64_t begin_ticks = 0;
  std::uint64_t end_ticks = std::numeric_limits<std::uint64_t>::max();
  double ns_per_tick = 1;

  [[nodiscard]] std::uint64_t time_of(std::uint64_t ticks) const {
    if (ticks <= begin_ticks) return 0;
    const double ns = static_cast<double>(ticks - begin_ticks) * ns_per_tick;
    return ns < static_cast<double>(longest_ns) ? static_cast<std::uint64_t>(ns) : longest_ns;
  }
};

// One lane's events, a few at a time.
class lane_reader {
 public:
  lane_reader(const byte_source& from, const std::vector<part>& parts, std::uint32_t lane)
      : from_(from), parts_(parts), lane_(lane) {}

  // False: there are no more. What its thread has added after the trace ended isn't part of it: the
  // texts may lack its names.
  bool next(const event_clock& clock) {
    while (at_ == held_) {
      if (!fetch()) return false;
    }
    const packed_event& e = buffer_[at_++];
    if (e.ticks > clock.end_ticks) return false;
    // Of one thread, but it may have moved to a processor whose counter is a little behind.
    now_.time_ns = std::max(now_.time_ns, clock.time_of(e.ticks));
    now_.lane = lane_;
    now_.kind = static_cast<event_kind>(e.name_and_kind & 0xffU);
    now_.name = static_cast<std::uint32_t>(e.name_and_kind >> 32U);
    now_.a = static_cast<std::uint32_t>(e.a_and_b >> 32U);
    now_.b = static_cast<std::uint32_t>(e.a_and_b);
    now_.value = std::bit_cast<double>(e.value_bits);
    return true;
  }
  [[nodiscard]] const event& now() const { return now_; }

 private:
  bool fetch() {
    while (part_ < parts_.size() && taken_ == parts_[part_].count) {
      ++part_;
      taken_ = 0;
    }
    if (part_ == parts_.size()) return false;
    const part& p = parts_[part_];
    held_ = std::min<std::size_t>(buffer_.size(), p.count - taken_);
    from_.read(p.at + taken_ * sizeof(packed_event), buffer_.data(), held_ * sizeof(packed_event));
    taken_ += static_cast<std::uint32_t>(held_);
    at_ = 0;
    return true;
  }

  const byte_source& from_;
  const std::vector<part>& parts_;
  std::uint32_t lane_;
  std::size_t part_ = 0;
  std::uint32_t taken_ = 0;
  std::array<packed_event, 128> buffer_{};
  std::size_t at_ = 0, held_ = 0;
  event now_{};
};

class stored_events final : public event_list {
 public:
  std::shared_ptr<const byte_source> from;
  std::vector<std::vector<part>> lanes;  // their parts, in order
  event_clock clock;
  std::vector<event> before;  // what workers did when the trace began
  std::uint64_t all = 0;      // that happened before the end
  std::uint64_t duration_ns = 0;

  [[nodiscard]] std::uint64_t count() const override { return all + before.size(); }

  void each(const std::function<void(const event&)>& see) const override {
    for (const event& e : before) see(e);
    std::vector<lane_reader> readers;
    readers.reserve(lanes.size());
    for (std::uint32_t i = 0; i < lanes.size(); ++i) readers.emplace_back(*from, lanes[i], i);
    // A heap of those that have an event, the earliest on top; of equal times the lower lane.
    std::vector<lane_reader*> heap;
    const auto later = [](const lane_reader* x, const lane_reader* y) {
      const event& a = x->now();
      const event& b = y->now();
      return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.lane > b.lane;
    };
    for (lane_reader& r : readers)
      if (r.next(clock)) heap.push_back(&r);
    std::make_heap(heap.begin(), heap.end(), later);
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), later);
      lane_reader& first = *heap.back();
      heap.pop_back();
      // As long as it is the first one, nothing has to be ordered.
      bool has_more = true;
      do {
        event e = first.now();
        e.time_ns = std::min(e.time_ns, duration_ns);
        see(e);
        has_more = first.next(clock);
      } while (has_more && (heap.empty() || !later(&first, heap.front())));
      if (!has_more) continue;
      heap.push_back(&first);
      std::push_heap(heap.begin(), heap.end(), later);
    }
  }
};

class stored_reader {
 public:
  stored_reader(std::shared_ptr<const byte_source> from, const std::string& name)
      : from_(std::move(from)), name_(name) {}

  log read() {
    read_head();
    for (std::uint64_t at = head_bytes; at < head_.used;) at += read_chunk(at);
    if (log_.lanes.size() < lanes_seen_) refuse("its events are of a lane that it doesn't name");
    for (auto& parts : events_->lanes)
      std::sort(parts.begin(), parts.end(),
                [](const part& x, const part& y) { return x.first < y.first; });
    events_->lanes.resize(log_.lanes.size());
    for (std::size_t i = 0; i < log_.lanes.size(); ++i)
      if (!events_->lanes[i].empty()) log_.lanes[i].lost_events = events_->lanes[i].front().first;
    set_clock();
    check_events();
    events_->from = std::move(from_);
    log_.stored = std::move(events_);
    return std::move(log_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw trace_error(name_ + ": " + what);
  }

  void read_head() {
    if (from_->size() < sizeof(head_)) refuse("the trace is cut off in its first bytes");
    from_->read(0, &head_, sizeof(head_));
    if (head_.version != stored_version) refuse_version();
    if (head_.end > static_cast<std::uint32_t>(ending::no_space)) refuse("it says no known ending");
    log_.end = static_cast<ending>(head_.end);
    if (head_.used < head_bytes || head_.used > from_->size())
      refuse("it says that it has " + std::to_string(head_.used) + " bytes, and has " +
             std::to_string(from_->size()));
  }
  // The first form had a description in JSON behind 32 bytes, with the version that wrote it.
  [[noreturn]] void refuse_version() const {
    std::string by;
    if (head_.version == 1) {
      std::string text(std::min<std::uint64_t>(from_->size() - 32, 4096), '\0');
      from_->read(32, text.data(), text.size());
      constexpr std::string_view key = "\"version\":\"";
      const std::size_t at = text.find(key);
      const std::size_t end = at == std::string::npos ? at : text.find('"', at + key.size());
      if (end != std::string::npos && end - at - key.size() < 32)
        by = ", which heist " + text.substr(at + key.size(), end - at - key.size()) + " wrote";
    }
    refuse("a trace of form " + std::to_string(head_.version) + by + "; heist " +
           HEIST_VERSION_STRING + " reads form " + std::to_string(stored_version));
  }

  std::uint64_t read_chunk(std::uint64_t at) {
    const std::uint64_t left = head_.used - at;
    chunk_head c{};
    if (left < sizeof(c)) refuse("the trace is cut off in a chunk");
    from_->read(at, &c, sizeof(c));
    if (c.bytes < sizeof(c) || c.bytes > left || c.bytes % 8 != 0 || c.used > c.bytes - sizeof(c))
      refuse("the chunk at " + std::to_string(at) + " has a size that can't be");
    if (c.kind == static_cast<std::uint32_t>(chunk_kind::events))
      add_events(c, at + sizeof(c));
    else if (c.kind == static_cast<std::uint32_t>(chunk_kind::texts))
      read_texts(at + sizeof(c), c.used);
    else
      refuse("the chunk at " + std::to_string(at) + " is of no known kind");
    return c.bytes;
  }
  void add_events(const chunk_head& c, std::uint64_t at) {
    if (c.lane >= max_lanes) refuse("more than " + std::to_string(max_lanes) + " lanes");
    lanes_seen_ = std::max<std::size_t>(lanes_seen_, c.lane + 1);
    if (events_->lanes.size() <= c.lane) events_->lanes.resize(c.lane + 1);
    const auto count = static_cast<std::uint32_t>(c.used / sizeof(packed_event));
    events_->lanes[c.lane].push_back({c.first, at, count});
  }
  void read_texts(std::uint64_t at, std::uint32_t used) {
    std::string bytes(used, '\0');
    from_->read(at, bytes.data(), used);
    std::string_view rest = bytes;
    while (!rest.empty()) {
      text_head t{};
      if (rest.size() < sizeof(t)) refuse("a text is cut off");
      std::memcpy(&t, rest.data(), sizeof(t));
      rest.remove_prefix(sizeof(t));
      if (padded(t.bytes) > rest.size()) refuse("a text is cut off");
      add_text(t, std::string(rest.substr(0, t.bytes)));
      rest.remove_prefix(padded(t.bytes));
    }
  }
  void add_text(const text_head& t, std::string text) {
    switch (static_cast<text_kind>(t.kind)) {
      case text_kind::program:
        log_.program = std::move(text);
        return;
      case text_kind::machine:
        log_.machine = std::move(text);
        return;
      case text_kind::version:
        log_.version = std::move(text);
        return;
      case text_kind::clock:
        log_.clock = std::move(text);
        return;
      case text_kind::processors:
        log_.processors = std::min(t.index, 1U << 24U);
        return;
      case text_kind::lane:
        return add_lane(t, std::move(text));
      case text_kind::name:
        if (t.index >= max_names) refuse("more than " + std::to_string(max_names) + " names");
        if (log_.names.size() <= t.index) log_.names.resize(t.index + 1);
        log_.names[t.index] = std::move(text);
        return;
      case text_kind::statistics:
        log_.statistics_json = std::move(text);
        return;
    }
    refuse("a text of no known kind");
  }
  void add_lane(const text_head& t, std::string name) {
    if (t.index >= max_lanes || t.pool > max_lanes || t.worker > max_lanes)
      refuse("a lane has a number that can't be");
    if (log_.lanes.size() <= t.index) log_.lanes.resize(t.index + 1);
    log_.lanes[t.index] = {std::move(name), t.pool, t.worker, t.is_worker == 1, 0};
    if (t.before == nothing_before) return;
    event e;
    e.lane = t.index;
    switch (static_cast<lane_state>(t.before & 0xffU)) {
      case lane_state::working:
        e.kind = event_kind::job_begin;
        e.a = static_cast<std::uint32_t>(job_source::other);
        break;
      case lane_state::parked:
        e.kind = event_kind::park;
        break;
      default:
        e.kind = event_kind::idle_begin;
    }
    events_->before.push_back(e);
  }
  void set_clock() {
    event_clock& c = events_->clock;
    c.begin_ticks = head_.begin_ticks;
    const std::uint64_t ticks =
        head_.latest_ticks > head_.begin_ticks ? head_.latest_ticks - head_.begin_ticks : 0;
    const bool is_late = head_.latest_ns > late_enough_ns && ticks != 0;
    c.ns_per_tick = is_late ? static_cast<double>(head_.latest_ns) / static_cast<double>(ticks)
                            : head_.ns_per_tick;
    if (log_.end == ending::complete) c.end_ticks = head_.latest_ticks;
    if (!std::isfinite(c.ns_per_tick) || c.ns_per_tick <= 0) refuse("its clock has no rate");
  }
  // The events' fields are what anybody may have written. What is unfinished lasts until its last
  // event.
  void check_events() {
    std::uint64_t last_ns = std::min(head_.latest_ns, longest_ns);
    for (std::uint32_t i = 0; i < events_->lanes.size(); ++i) {
      lane_reader r(*from_, events_->lanes[i], i);
      for (std::uint64_t n = 0; r.next(events_->clock); ++n, ++events_->all) {
        check(r.now(), n);
        if (log_.end != ending::complete) last_ns = std::max(last_ns, r.now().time_ns);
      }
    }
    log_.duration_ns = events_->duration_ns = last_ns;
  }
  void check(const event& e, std::uint64_t n) {
    const bool has_region = e.kind == event_kind::region_begin || e.kind == event_kind::region_end;
    // For the last names there may have been no room, and still some for events.
    const std::uint32_t last_name = std::max(e.name, has_region ? e.b : 0);
    if (log_.end == ending::no_space && last_name >= log_.names.size() && last_name < max_names)
      log_.names.resize(last_name + 1, "(no room for its name)");
    const bool has_lane = e.kind == event_kind::steal || e.kind == event_kind::wake;
    const auto is_lane = [this](std::uint32_t l) { return l == no_lane || l < log_.lanes.size(); };
    const char* const wrong =
        static_cast<unsigned>(e.kind) >= event_kinds                                     ? "kind"
        : e.name >= log_.names.size() || (has_region && e.b >= log_.names.size())        ? "name"
        : (has_lane && !is_lane(e.a)) || (e.kind == event_kind::resume && !is_lane(e.b)) ? "lane"
        : !std::isfinite(e.value)                                                        ? "value"
                                                                                         : nullptr;
    if (wrong != nullptr)
      refuse("event " + std::to_string(n) + " of lane " + std::to_string(e.lane) + " has a " +
             wrong + " that the trace doesn't have");
  }

  std::shared_ptr<const byte_source> from_;
  const std::string& name_;
  stored_head head_{};
  log log_;
  std::size_t lanes_seen_ = 0;
  std::shared_ptr<stored_events> events_ = std::make_shared<stored_events>();
};

}  // namespace

log read_stored(std::shared_ptr<const byte_source> from, const std::string& name) {
  return stored_reader(std::move(from), name).read();
}

}  // namespace heist::inline v0::trace
