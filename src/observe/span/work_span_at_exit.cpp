// HEIST_PROFILE=workspan: a measurement from the first pool to the end of the process.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "observe/span/work_measurement.hpp"
#include "platform/new_file.hpp"
#include "platform/once.hpp"
#include "platform/process.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/notes.hpp"

namespace heist::inline v0::detail {

namespace {

// Of the whole process; never destroyed, since it is used at the exit.
struct profile_at_exit {
  profile_settings settings;
  unsigned process = 0;  // its generation
};
constinit profile_at_exit* wanted = nullptr;
constinit platform::once_flag wanted_is_known;

void write_or_complain(const std::string& path, const std::string& content) {
  if (!platform::write_whole_file(path, content))
    std::fprintf(stderr, "heist: HEIST_PROFILE: can't write %s: %s\n", path.c_str(),
                 std::strerror(errno));
}

void print_at_exit() {
  if (wanted->process != platform::process_generation()) return;
  try {
    const work_span measured = stop_work_span();
    if (wanted->settings.file.empty())
      std::fputs(to_string(measured).c_str(), stderr);
    else
      write_or_complain(wanted->settings.file, to_json(measured));
    if (!wanted->settings.dag_file.empty())
      write_or_complain(wanted->settings.dag_file, measured.dag);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heist: HEIST_PROFILE: %s\n", e.what());
  }
}

}  // namespace

std::shared_ptr<work_measurement> notes::measurement_for_a_pool() {
  if (work_measurement::is_tried_here()) return work_measurement::current();
  wanted_is_known.call([] {
    profile_settings settings = profile_from_environment();
    if (!settings.is_on || work_measurement::current() != nullptr) return;
    auto made = work_measurement::make(settings.options);
    wanted = new profile_at_exit{std::move(settings), platform::process_generation()};
    work_measurement::set_current(std::move(made));
    static_cast<void>(std::atexit(&print_at_exit));
  });
  return work_measurement::current();
}

}  // namespace heist::inline v0::detail
