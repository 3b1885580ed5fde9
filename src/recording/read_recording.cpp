#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heist/error.hpp"
#include "recording/recording.hpp"
#include "trace/sort_stably.hpp"
#include "trace/write.hpp"

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

template <class T>
T take(std::string_view& from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(static_cast<unsigned char>(from[i])) << (8 * i);
  from.remove_prefix(sizeof(T));
  return value;
}

recording parse_binary(std::string_view bytes, const std::string& name) {
  if (bytes.size() < binary_head_bytes) refuse(name, "the trace is cut off in its first 32 bytes");
  bytes.remove_prefix(binary_magic.size());
  const auto version = take<std::uint32_t>(bytes);
  if (version != binary_version)
    refuse(name, "a trace of version " + std::to_string(version) + "; this heist reads version " +
                     std::to_string(binary_version));
  const auto text_bytes = take<std::uint32_t>(bytes);
  const auto count = take<std::uint64_t>(bytes);
  recording r;
  r.duration_ns = take<std::uint64_t>(bytes);
  if (bytes.size() < text_bytes) refuse(name, "the trace is cut off in its description");
  const json head = json::parse(bytes.substr(0, text_bytes), nullptr, false);
  if (head.is_discarded()) refuse(name, "its description isn't JSON");
  read_head(head, r, name);
  bytes.remove_prefix(text_bytes);
  if (count > max_events || bytes.size() != count * binary_event_bytes)
    refuse(name, "it says that it has " + std::to_string(count) + " events, and has bytes for " +
                     std::to_string(bytes.size() / binary_event_bytes));
  r.events.resize(count);
  for (event& e : r.events) {
    e.time_ns = take<std::uint64_t>(bytes);
    e.value = std::bit_cast<double>(take<std::uint64_t>(bytes));
    const auto lane_and_kind = take<std::uint32_t>(bytes);
    e.lane = lane_and_kind >> 8U;
    e.kind = static_cast<event_kind>(lane_and_kind & 0xffU);
    e.name = take<std::uint32_t>(bytes);
    e.a = take<std::uint32_t>(bytes);
    e.b = take<std::uint32_t>(bytes);
  }
  return r;
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

// A file in memory, while this lives.
class mapped_file {
 public:
  explicit mapped_file(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (fd < 0 || ::fstat(fd, &about) != 0) fail(path, fd);
    if (!S_ISREG(about.st_mode)) {
      ::close(fd);
      throw resource_error("can't read " + path + ": it isn't a file");
    }
    size_ = static_cast<std::size_t>(about.st_size);
    if (size_ != 0) {
      at_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
      if (at_ == MAP_FAILED) fail(path, fd);
    }
    ::close(fd);
  }
  ~mapped_file() {
    if (size_ != 0) ::munmap(at_, size_);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  [[nodiscard]] std::string_view bytes() const { return {static_cast<const char*>(at_), size_}; }

 private:
  [[noreturn]] static void fail(const std::string& path, int fd) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    throw resource_error("can't read " + path + ": " + std::strerror(error));
  }
  void* at_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

recording parse_recording(std::string_view bytes, const std::string& name) {
  if (bytes.empty()) refuse(name, "the file is empty");
  const bool is_binary = bytes.starts_with(binary_magic);
  if (!is_binary && bytes.find_first_not_of(" \t\r\n") != std::string_view::npos &&
      bytes[bytes.find_first_not_of(" \t\r\n")] != '{')
    refuse(name, "neither JSON nor heist's binary form");
  recording r = is_binary ? parse_binary(bytes, name) : parse_chrome_json(bytes, name);
  check_events(r, name);
  return r;
}

recording read_recording(const std::string& path) {
  const mapped_file file(path);
  return parse_recording(file.bytes(), path);
}

}  // namespace heist::inline v0::trace
