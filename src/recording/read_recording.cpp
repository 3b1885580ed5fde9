#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heist/error.hpp"
#include "recording/recording.hpp"
#include "trace/lane_slices.hpp"
#include "trace/sort_stably.hpp"
#include "trace/stored.hpp"

namespace heist::inline v0::trace {

namespace {

using nlohmann::json;

// Beyond what any recording has: rings of 2^24 events.
constexpr std::uint64_t max_events = std::uint64_t{1} << 28U;
constexpr std::size_t max_lanes = 65536;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw trace_error(name + ": " + what);
}

std::string text_of(const json& of, const char* key, const std::string& name) {
  const auto at = of.find(key);
  if (at == of.end()) return "";
  if (!at->is_string()) refuse(name, std::string("its \"") + key + "\" isn't a string");
  return at->get<std::string>();
}

std::uint64_t number_of(const json& of, const char* key, const std::string& name,
                        std::uint64_t most = ~std::uint64_t{0}) {
  const auto at = of.find(key);
  if (at == of.end()) return 0;
  if (!at->is_number_unsigned() || at->get<std::uint64_t>() > most)
    refuse(name,
           std::string("its \"") + key + "\" isn't a number from 0 to " + std::to_string(most));
  return at->get<std::uint64_t>();
}

lane lane_of(const json& of, const std::string& name) {
  if (!of.is_object()) refuse(name, "one of its lanes isn't an object");
  lane l;
  l.name = text_of(of, "name", name);
  l.pool = static_cast<std::uint32_t>(number_of(of, "pool", name, max_lanes));
  l.worker = static_cast<std::uint32_t>(number_of(of, "worker", name, max_lanes));
  const auto at = of.find("is_worker");
  l.is_worker = at != of.end() && at->is_boolean() && at->get<bool>();
  l.lost_events = number_of(of, "lost_events", name);
  return l;
}

void read_head(const json& head, recording& to, const std::string& name) {
  if (!head.is_object()) refuse(name, "its description isn't an object");
  to.program = text_of(head, "program", name);
  to.machine = text_of(head, "machine", name);
  to.version = text_of(head, "version", name);
  to.clock = text_of(head, "clock", name);
  to.processors = static_cast<unsigned>(number_of(head, "processors", name, 1U << 24U));
  const auto lanes = head.find("lanes");
  if (lanes == head.end() || !lanes->is_array() || lanes->size() > max_lanes)
    refuse(name, "it has no lanes");
  for (const json& l : *lanes) to.lanes.push_back(lane_of(l, name));
  const auto names = head.find("names");
  if (names == head.end() || !names->is_array() || names->empty()) refuse(name, "it has no names");
  to.names.clear();
  for (const json& n : *names) {
    if (!n.is_string()) refuse(name, "one of its names isn't a string");
    to.names.push_back(n.get<std::string>());
  }
  to.end = static_cast<ending>(
      number_of(head, "ending", name, static_cast<std::uint64_t>(ending::no_space)));
  if (head.find("ending") == head.end()) to.end = ending::complete;
  if (const auto at = head.find("statistics"); at != head.end()) to.statistics = *at;
}

// The events' fields are what anybody may have written.
void check_events(recording& r, const std::string& name) {
  for (std::size_t i = 0; i < r.events.size(); ++i) {
    event& e = r.events[i];
    const char* const wrong = e.lane >= r.lanes.size()                       ? "lane"
                              : static_cast<unsigned>(e.kind) >= event_kinds ? "kind"
                              : e.name >= r.names.size()                     ? "name"
                              : e.time_ns > r.duration_ns                    ? "time"
                              : !std::isfinite(e.value)                      ? "value"
                                                                             : nullptr;
    if (wrong != nullptr)
      refuse(name,
             "event " + std::to_string(i) + " has a " + wrong + " that the trace doesn't have");
    const bool has_lane = (e.kind == event_kind::steal || e.kind == event_kind::wake);
    if (has_lane && e.a >= r.lanes.size()) e.a = no_lane;
    if (e.kind == event_kind::resume && e.b >= r.lanes.size()) e.b = no_lane;
    const bool has_region = e.kind == event_kind::region_begin || e.kind == event_kind::region_end;
    if (has_region && e.b >= r.names.size()) e.b = 0;
  }
  sort_stably(r.events, [](const event& x, const event& y) { return x.time_ns < y.time_ns; });
}

std::optional<event_kind> kind_of(const json& element) {
  const auto name = element.find("name");
  if (name == element.end() || !name->is_string()) return std::nullopt;
  const auto* const at = std::find(std::begin(event_names), std::end(event_names),
                                   name->get_ref<const std::string&>());
  if (at == std::end(event_names)) return std::nullopt;
  return static_cast<event_kind>(at - std::begin(event_names));
}

// What the array traceEvents holds, element by element: one of ours, or for viewers only.
class element_reader {
 public:
  element_reader(recording& to, const std::string& name) : to_(to), name_(name) {}

  void read(const json& element) {
    if (!element.is_object() || text_of(element, "cat", name_) != "heist") return;
    const auto kind = kind_of(element);
    const auto args = element.find("args");
    const std::uint64_t lane = number_of(element, "tid", name_, max_lanes);
    if (!kind || args == element.end() || !args->is_object() || lane == 0)
      refuse(name_, "event " + std::to_string(to_.events.size()) + " isn't one of heist's");
    if (to_.events.size() == max_events) refuse(name_, "more than 2^28 events");
    event e;
    e.kind = *kind;
    e.lane = static_cast<std::uint32_t>(lane - 1);
    constexpr std::uint64_t word = 0xffffffff;
    e.time_ns = number_of(*args, "t", name_);
    e.name = static_cast<std::uint32_t>(number_of(*args, "n", name_, word));
    e.a = static_cast<std::uint32_t>(number_of(*args, "a", name_, word));
    e.b = static_cast<std::uint32_t>(number_of(*args, "b", name_, word));
    const auto value = args->find("v");
    if (value != args->end() && value->is_number()) e.value = value->get<double>();
    to_.events.push_back(e);
  }

 private:
  recording& to_;
  const std::string& name_;
};

recording parse_chrome_json(std::string_view bytes, const std::string& name) {
  recording r;
  element_reader elements(r, name);
  bool in_events = false;
  // Elements of the array are read one by one and then thrown away.
  const auto callback = [&](int depth, json::parse_event_t what, json& parsed) {
    if (depth > 32) refuse(name, "JSON that is nested more than 32 deep");
    if (depth == 1 && what == json::parse_event_t::key)
      in_events = parsed.get_ref<const std::string&>() == "traceEvents";
    if (!in_events || depth != 2 || what != json::parse_event_t::object_end) return true;
    elements.read(parsed);
    return false;
  };
  json whole;
  try {
    whole = json::parse(bytes, callback);
  } catch (const json::exception& e) {
    const std::string_view message = e.what();
    refuse(name, "not JSON: " + std::string(message.substr(0, 160)));
  }
  const auto head = whole.is_object() ? whole.find("heist") : whole.end();
  if (!whole.is_object() || head == whole.end())
    refuse(name, "JSON, but not a trace that heist has written: it has no \"heist\"");
  read_head(*head, r, name);
  r.duration_ns = number_of(whole, "duration_ns", name);
  return r;
}

class bytes_in_memory final : public byte_source {
 public:
  explicit bytes_in_memory(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t at, void* to, std::size_t bytes) const override {
    std::memcpy(to, bytes_.data() + at, bytes);
  }

 private:
  std::string bytes_;
};

// A file, which may still be growing.
class open_file final : public byte_source {
 public:
  explicit open_file(const std::string& path)
      : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat about {};
    if (fd_ < 0 || ::fstat(fd_, &about) != 0) fail();
    if (!S_ISREG(about.st_mode)) {
      close();
      throw resource_error("can't read " + path + ": it isn't a file");
    }
    size_ = static_cast<std::uint64_t>(about.st_size);
  }
  ~open_file() override { close(); }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  void read(std::uint64_t at, void* to, std::size_t bytes) const override {
    auto* place = static_cast<char*>(to);
    while (bytes != 0) {
      const ssize_t got = ::pread(fd_, place, bytes, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw resource_error("can't read " + path_ + ": " + std::strerror(errno));
      if (got == 0) refuse(path_, "the file has become shorter while it was read");
      place += got;
      at += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
  }

 private:
  void close() const {
    if (fd_ >= 0) ::close(fd_);
  }
  [[noreturn]] void fail() const {
    const int error = errno;
    close();
    throw resource_error("can't read " + path_ + ": " + std::strerror(error));
  }
  std::string path_;
  int fd_;
  std::uint64_t size_ = 0;
};

// Of so few events the memory doesn't matter, and they are read once.
constexpr std::uint64_t few_events = std::uint64_t{1} << 18U;

recording read_binary(std::shared_ptr<const byte_source> from, const std::string& name) {
  recording r{read_stored(std::move(from), name), {}, {}};
  if (!r.statistics_json.empty()) {
    r.statistics = json::parse(r.statistics_json, nullptr, false);
    if (r.statistics.is_discarded()) refuse(name, "its statistics aren't JSON");
  }
  if (r.event_count() > few_events) return r;
  r.stored->each([&r](const event& e) { r.events.push_back(e); });
  r.stored = nullptr;
  return r;
}

recording read_json(std::string_view bytes, const std::string& name) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && bytes[first] != '{')
    refuse(name, "neither JSON nor heist's binary form");
  recording r = parse_chrome_json(bytes, name);
  check_events(r, name);
  return r;
}

}  // namespace

recording parse_recording(std::string_view bytes, const std::string& name) {
  if (bytes.empty()) refuse(name, "the file is empty");
  if (!bytes.starts_with(stored_magic)) return read_json(bytes, name);
  return read_binary(std::make_shared<bytes_in_memory>(std::string(bytes)), name);
}

namespace {

// An unfinished trace of that name, if there is one; else "".
std::string unfinished_of(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string begin = whole.filename().string() + ".partial-";
  std::error_code ignored;
  const std::filesystem::path folder = whole.has_parent_path() ? whole.parent_path() : ".";
  for (const auto& one : std::filesystem::directory_iterator(folder, ignored))
    if (one.path().filename().string().starts_with(begin)) return one.path().string();
  return "";
}

}  // namespace

recording read_recording(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    if (const std::string unfinished = unfinished_of(path); !unfinished.empty())
      throw resource_error("can't read " + path + ": there is no such file; " + unfinished +
                           ", which has no end, is there");
  auto file = std::make_shared<open_file>(path);
  if (file->size() == 0) refuse(path, "the file is empty");
  std::string begin(std::min<std::uint64_t>(file->size(), stored_magic.size()), '\0');
  file->read(0, begin.data(), begin.size());
  if (begin == stored_magic) return read_binary(std::move(file), path);
  std::string text(file->size(), '\0');
  file->read(0, text.data(), text.size());
  return read_json(text, path);
}

// ---- A part of a recording.

namespace {

class events_between final : public event_list {
 public:
  events_between(recording whole, std::uint64_t from_ns, std::uint64_t to_ns)
      : whole_(std::move(whole)), from_ns_(from_ns), to_ns_(to_ns), ahead_(foresee(whole_)) {
    each([this](const event&) { ++count_; });
  }

  [[nodiscard]] std::uint64_t count() const override { return count_; }
  void each(const std::function<void(const event&)>& see) const override {
    lane_follower lanes(whole_, ahead_);
    std::vector<std::optional<event>> usage(whole_.lanes.size());
    bool has_begun = false;
    const auto begin = [&] {
      has_begun = true;
      for (std::uint32_t i = 0; i < usage.size(); ++i) {
        begin_lane(lanes.now(i), i, see);
        if (!usage[i]) continue;
        usage[i]->time_ns = 0;
        see(*usage[i]);
      }
    };
    whole_.each_event([&](const event& e) {
      if (e.time_ns < from_ns_) {
        static_cast<void>(lanes.see(e));
        if (e.kind == event_kind::usage) usage[e.lane] = e;
        return;
      }
      if (e.time_ns > to_ns_) return;
      if (!has_begun) begin();
      event moved = e;
      moved.time_ns -= from_ns_;
      see(moved);
    });
    if (!has_begun) begin();
  }

 private:
  // What the lane does already.
  void begin_lane(const lane_now& now, std::uint32_t lane,
                  const std::function<void(const event&)>& see) const {
    if (!now.is_there) return;
    event e;
    e.lane = lane;
    const bool rests = now.state == lane_state::idle || now.state == lane_state::parked;
    if (rests) {
      e.kind = event_kind::idle_begin;
      see(e);
      if (now.state == lane_state::idle) return;
      e.kind = event_kind::park;
    } else if (now.state == lane_state::blocked) {
      e.kind = event_kind::block_begin;
    } else {
      e.kind = now.in_pool ? event_kind::job_begin : event_kind::region_begin;
      e.name = now.region;
      if (now.in_pool) e.a = static_cast<std::uint32_t>(job_source::other);
    }
    see(e);
  }

  recording whole_;
  std::uint64_t from_ns_, to_ns_;
  foresight ahead_;
  std::uint64_t count_ = 0;
};

}  // namespace

recording part_of(recording whole, std::uint64_t from_ns, std::uint64_t to_ns) {
  recording part;
  static_cast<log&>(part) = whole;
  part.statistics = whole.statistics;
  part.profile = whole.profile;
  part.events.clear();
  to_ns = std::min(to_ns, whole.duration_ns);
  from_ns = std::min(from_ns, to_ns);
  part.duration_ns = to_ns - from_ns;
  part.stored = std::make_shared<events_between>(std::move(whole), from_ns, to_ns);
  return part;
}

}  // namespace heist::inline v0::trace
