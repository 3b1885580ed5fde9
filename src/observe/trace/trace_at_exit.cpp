// The file of a trace: of a pool (pool::stop_trace), or of the whole process from the first pool
// on, written at the exit (HEIST_TRACE).
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "heist/error.hpp"
#include "heist/pool.hpp"
#include "observe/trace/tracing.hpp"
#include "platform/new_file.hpp"
#include "platform/once.hpp"
#include "platform/process.hpp"
#include "runtime/core/environment.hpp"
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

}  // namespace

void check_trace_name(const std::string& what, const std::string& path) {
  if (!path.ends_with(json_ending) && !path.ends_with(binary_ending))
    throw usage_error(what + path + ": must be a file name that ends in .json or .htrace");
}

void write_trace(const trace::log& recorded, const std::string& path) {
  platform::new_file file(path);
  file_sink to(file);
  if (path.ends_with(json_ending))
    trace::write_chrome_json(recorded, to);
  else
    trace::write_binary(recorded, to);
  if (!file.finish()) throw resource_error("can't write " + path + ": " + std::strerror(errno));
}

void trace_from_environment() {
  wanted_is_known.call([] {
    const trace_settings settings = trace_settings_from_environment();
    if (settings.file.empty()) return;
    check_trace_name("HEIST_TRACE=", settings.file);
    // A program that records one itself has the first word.
    if (notes::is_traced()) return;
    auto* const made = new trace_at_exit{settings.file, platform::process_generation()};
    tracing::start(nullptr, settings.events);
    wanted = made;
    static_cast<void>(std::atexit(&write_at_exit));
  });
}

}  // namespace heist::inline v0::detail

namespace heist::inline v0 {

void pool::start_trace(std::size_t events) { detail::tracing::start(impl_.get(), events); }

void pool::stop_trace(const std::string& path) {
  detail::check_trace_name("stop_trace: ", path);
  detail::write_trace(detail::tracing::stop(impl_.get()), path);
}

}  // namespace heist::inline v0
