// The HEIST_* variables. Each is read when it is first needed; a bad value is a usage_error that
// names the variable, the value and what would be right. A program with more privileges than its
// user reads none of them (platform::environment_variable).
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "heist/config.hpp"
#include "heist/work_span.hpp"
#include "runtime/core/check_library.hpp"

namespace heist::inline v0::detail {

// HEIST_WORKERS: 1 .. pool_config::max_workers; 0 if it isn't set.
unsigned workers_from_environment();

// HEIST_STACK_SIZE: bytes, or with a suffix K, M or G; 0 if it isn't set.
std::size_t stack_size_from_environment();

// HEIST_STATS, 0, 1, timed or full: whether statistics are printed, and the least that every pool
// counts; with json:FILE, also behind a comma, they are written there.
struct stats_settings {
  bool is_on = false;
  stats_kind kind = stats_kind::slow_path;
  std::string file;  // empty: text on stderr
};
stats_settings stats_from_environment();

// HEIST_CHECK: 0, or what is to be checked, separated by commas. A TIME is a number and ns, us, ms
// or s.
struct check_settings {
  bool waits = false;  // "1": who waits for whom (wait_graph.hpp, stall_watch.hpp)
  bool moves = false;  // "moves": joins move to other threads (moves.hpp)
  bool locks = false;  // "locks": other locks than heist's across forks, spawns and waits
  std::chrono::nanoseconds block{0};   // "block:TIME": calls that block a worker for longer; 0: no
  std::chrono::nanoseconds starve{0};  // "starve:TIME": what hasn't begun for longer; 0: no
};
check_settings checks_from_environment();
// The same of a text; nothing, if it is wrong.
std::optional<check_settings> parse_checks(std::string_view text) noexcept;
// libheist-check.so, where it is wanted; else nullptr. Throws usage_error if it isn't loaded.
const check_library* check_library_for(const check_settings& wanted);

// HEIST_PROFILE: workspan, then :FILE, then settings, each after a comma: fork=NS, steal=NS,
// suspend=NS, dag=FILE.
struct profile_settings {
  bool is_on = false;
  work_span_options options{};
  std::string file;      // for JSON; empty: text on stderr
  std::string dag_file;  // empty: none
};
profile_settings profile_from_environment();
// HEIST_MONITOR: 0 or 1.
bool monitor_from_environment();
// HEIST_SCALAR_SORT: 0 or 1; whether numbers are sorted without the library for vectors.
bool scalar_sort_from_environment();

// HEIST_TRACE: a file's name, in which %p is the number of the process; empty if it isn't set, or
// 0. HEIST_TRACE_EVENTS: how many events of each thread are kept. HEIST_TRACE_MEMORY, 0 or 1: in
// memory until the end.
struct trace_settings {
  std::string file;
  std::size_t events = 0;
  bool is_in_memory = false;
};
trace_settings trace_settings_from_environment();

// HEIST_SERIAL: 0 or 1. Read once; later calls are one load.
bool serial_elision();

// The same configuration with its defaults filled in, from the variables above where they are set.
// Throws usage_error, with the name of the field, for a value that makes no sense.
pool_config resolve(pool_config c);

}  // namespace heist::inline v0::detail
