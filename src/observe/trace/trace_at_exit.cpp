// The file of a trace: of a pool (pool::stop_trace), or of the whole process from the first pool
// on, written at the exit (HEIST_TRACE).
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "heist/error.hpp"
#include "heist/pool.hpp"
#include "observe/trace/trace_store.hpp"
#include "observe/trace/tracing.hpp"
#include "platform/file_calls.hpp"
#include "platform/new_file.hpp"
#include "platform/once.hpp"
#include "platform/process.hpp"
#include "runtime/core/environment.hpp"
#include "trace/stored.hpp"
#include "trace/write.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr std::string_view json_ending = ".json";
constexpr std::string_view binary_ending = ".htrace";

// Of the whole process; never destroyed, since it is used at the exit.
struct trace_at_exit {
  std::string path;
  unsigned process = 0;  // its generation
};
constinit trace_at_exit* wanted = nullptr;
constinit platform::once_flag wanted_is_known;

class file_sink final : public trace::sink {
 public:
  explicit file_sink(platform::new_file& to) : to_(to) {}
  void write(std::string_view bytes) override { to_.write(bytes); }

 private:
  platform::new_file& to_;
};

void write_at_exit() {
  if (wanted->process != platform::process_generation()) return;
  try {
    write_trace(tracing::stop(nullptr), wanted->path);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heist: HEIST_TRACE: %s\n", e.what());
  }
}

// A child of fork() has a file of its own, whatever the name says.
std::string path_here(std::string path) {
  if (platform::process_generation() == 0) return path;
  const std::string number = std::to_string(platform::process_number());
  return path.find(number) != std::string::npos ? path : path.insert(path.rfind('.'), "-" + number);
}

void write_json(const std::shared_ptr<trace_store>& recorded, platform::new_file& to) {
  const trace::log all = trace::read_stored(recorded, "the recording");
  if (const std::uint64_t bytes = all.event_count() * trace::json_event_bytes;
      bytes > trace::surprising_bytes)
    std::fprintf(stderr,
                 "heist: a trace of %.1f million events takes %.1f GB as JSON; a name that ends in "
                 ".htrace takes a sixth\n",
                 static_cast<double>(all.event_count()) * 1e-6, static_cast<double>(bytes) * 1e-9);
  file_sink sink(to);
  trace::write_chrome_json(all, sink);
}

void write_bytes(const trace_store& recorded, platform::new_file& to) {
  std::vector<char> part(trace::most_chunk);
  for (std::uint64_t at = 0; at < recorded.size();) {
    const std::size_t n = std::min<std::uint64_t>(part.size(), recorded.size() - at);
    recorded.read(at, part.data(), n);
    to.write({part.data(), n});
    at += n;
  }
}

}  // namespace

void check_trace_name(const std::string& what, const std::string& path) {
  if (!path.ends_with(json_ending) && !path.ends_with(binary_ending))
    throw usage_error(what + path + ": must be a file name that ends in .json or .htrace");
}

void write_trace(const stopped_trace& recorded, const std::string& path) {
  trace_store& store = *recorded.store;
  if (store.is_file() && path.ends_with(binary_ending)) return store.rename_to(path);
  platform::new_file file(path);
  if (path.ends_with(json_ending))
    write_json(recorded.store, file);
  else
    write_bytes(store, file);
  if (file.finish()) return store.discard();
  const std::string why = std::strerror(errno);
  throw resource_error("can't write " + path + ": " + why +
                       (store.is_file() ? "; the recording is in " + store.path() : ""));
}

void trace_from_environment() {
  const auto begin = [] {
    const trace_settings settings = trace_settings_from_environment();
    if (settings.file.empty()) return;
    check_trace_name("HEIST_TRACE=", settings.file);
    tracing::leave_trace_of_parent();
    // A program that records one itself has the first word.
    if (notes::is_traced()) return;
    const std::string path = path_here(settings.file);
    auto* const made = new trace_at_exit{path, platform::process_generation()};
    try {
      tracing::start(nullptr, settings.events, settings.is_in_memory ? "" : path);
    } catch (const resource_error& e) {
      delete made;
      std::fprintf(stderr, "heist: HEIST_TRACE: %s\n", e.what());
      return;
    }
    const bool is_first = wanted == nullptr;
    wanted = made;
    if (!is_first) return;  // of a child: its parent's handlers are there
    static_cast<void>(std::atexit(&write_at_exit));
#if defined(__linux__)  // neither mingw-w64 nor macOS has it
    static_cast<void>(std::at_quick_exit(&write_at_exit));
#endif
  };
  static constinit std::atomic<unsigned> child{0};
  wanted_is_known.call(begin);
  // A child of fork() begins a trace of its own when it makes its first pool.
  const unsigned here = platform::process_generation();
  if (wanted != nullptr && wanted->process != here &&
      child.exchange(here, std::memory_order_relaxed) != here)
    begin();
}

}  // namespace heist::inline v0::detail

namespace heist::inline v0 {

void pool::start_trace(std::size_t events) { detail::tracing::start(impl_.get(), events, ""); }

void pool::start_trace(const std::string& path, std::size_t events) {
  detail::check_trace_name("start_trace: ", path);
  detail::tracing::start(impl_.get(), events, path);
}

void pool::stop_trace(const std::string& path) {
  detail::check_trace_name("stop_trace: ", path);
  detail::write_trace(detail::tracing::stop(impl_.get()), path);
}

}  // namespace heist::inline v0
