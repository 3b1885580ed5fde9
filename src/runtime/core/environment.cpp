#include "runtime/core/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "heist/config.hpp"
#include "heist/error.hpp"
#include "platform/cpu_count.hpp"
#include "platform/nodes.hpp"
#include "platform/once.hpp"
#include "platform/process.hpp"
#include "platform/program.hpp"
#include "trace/log.hpp"

namespace heist::inline v0::detail {

namespace {

[[noreturn]] void refuse(const char* name, std::string_view value, const std::string& wanted) {
  throw usage_error(std::string(name) + "=" + std::string(value) + ": must be " + wanted);
}

bool flag(const char* name, const char* wanted = "0 or 1") {
  const char* const value = platform::environment_variable(name);
  if (value == nullptr || std::string_view(value).empty() || std::string_view(value) == "0")
    return false;
  if (std::string_view(value) == "1") return true;
  refuse(name, value, wanted);
}

constexpr const char* stats_form =
    "0, 1, timed or full, and for a file json:FILE, timed,json:FILE or full,json:FILE";

// %p in a file's name is the number of the process.
std::string with_process_number(std::string file) {
  if (const auto at = file.find("%p"); at != std::string::npos)
    file.replace(at, 2, std::to_string(::getpid()));
  return file;
}

[[noreturn]] void refuse_field(const char* field, std::uint64_t value, const std::string& wanted) {
  throw usage_error("pool_config::" + std::string(field) + " = " + std::to_string(value) +
                    ": must be " + wanted);
}

template <class Enum>
void check_enum(const char* field, Enum value, Enum last) {
  if (value > last) refuse_field(field, static_cast<unsigned>(value), "one of its enumerators");
}

}  // namespace

unsigned workers_from_environment() {
  const char* const value = platform::environment_variable("HEIST_WORKERS");
  if (value == nullptr || *value == '\0') return 0;
  const std::string_view text(value);
  unsigned n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (problem != std::errc() || end != text.data() + text.size() || n < 1 ||
      n > pool_config::max_workers)
    refuse("HEIST_WORKERS", text, "a number from 1 to " + std::to_string(pool_config::max_workers));
  return n;
}

std::size_t stack_size_from_environment() {
  const char* const value = platform::environment_variable("HEIST_STACK_SIZE");
  if (value == nullptr || *value == '\0') return 0;
  const std::string_view text(value);
  std::uint64_t n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  unsigned shift = 0;
  bool good = problem == std::errc();
  if (suffix == "K" || suffix == "k")
    shift = 10;
  else if (suffix == "M" || suffix == "m")
    shift = 20;
  else if (suffix == "G" || suffix == "g")
    shift = 30;
  else if (!suffix.empty())
    good = false;
  if (!good || n > pool_config::max_stack_size >> shift || n << shift < pool_config::min_stack_size)
    refuse("HEIST_STACK_SIZE", text,
           "a number of bytes from " + std::to_string(pool_config::min_stack_size >> 10) + "K to " +
               std::to_string(pool_config::max_stack_size >> 30) + "G, suffix K, M or G");
  return static_cast<std::size_t>(n << shift);
}

// "timed", "json:FILE", or both with a comma between them.
stats_settings stats_from_environment() {
  constexpr std::string_view file_begins = "json:";
  stats_settings s;
  const char* const given = platform::environment_variable("HEIST_STATS");
  std::string_view value = given == nullptr ? "" : given;
  for (const stats_kind k : {stats_kind::timed, stats_kind::full}) {
    if (value != to_string(k) && !value.starts_with(std::string(to_string(k)) + ",")) continue;
    s.kind = k;
    s.is_on = true;
    value.remove_prefix(std::min(to_string(k).size() + 1, value.size()));
    if (value.empty()) return s;
  }
  if (!value.starts_with(file_begins) || value.size() == file_begins.size()) {
    if (s.is_on) refuse("HEIST_STATS", given, stats_form);
    s.is_on = flag("HEIST_STATS", stats_form);
    return s;
  }
  s.is_on = true;
  s.file = with_process_number(std::string(value.substr(file_begins.size())));
  return s;
}

namespace {

constexpr const char* check_form =
    "0, or any of 1, moves, locks, block:TIME and starve:TIME, separated by commas; a TIME is a "
    "number of ns, us, ms or s, from 1us to 1h: block:10ms";

// The time behind that name, as in "block:10ms"; 0: it isn't one.
std::chrono::nanoseconds time_of_check(std::string_view text, std::string_view name) noexcept {
  using namespace std::chrono_literals;
  if (!text.starts_with(name)) return 0ns;
  text.remove_prefix(name.size());
  std::int64_t n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const std::chrono::nanoseconds one = unit == "ns"   ? 1ns
                                       : unit == "us" ? 1us
                                       : unit == "ms" ? 1ms
                                       : unit == "s"  ? std::chrono::nanoseconds(1s)
                                                      : 0ns;
  if (problem != std::errc() || one == 0ns || n <= 0 || n > 1h / one || n * one < 1us) return 0ns;
  return n * one;
}

}  // namespace

std::optional<check_settings> parse_checks(std::string_view text) noexcept {
  check_settings s;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view one = rest.substr(0, comma);
    if (one == "1")
      s.waits = true;
    else if (one == "moves")
      s.moves = true;
    else if (one == "locks")
      s.locks = true;
    else if (const auto block = time_of_check(one, "block:"); block.count() != 0)
      s.block = block;
    else if (const auto starve = time_of_check(one, "starve:"); starve.count() != 0)
      s.starve = starve;
    else if (one != "0")
      return std::nullopt;
    if (comma == std::string_view::npos) return s;
    rest.remove_prefix(comma + 1);
  }
}

check_settings checks_from_environment() {
  const char* const value = platform::environment_variable("HEIST_CHECK");
  if (value == nullptr || std::string_view(value).empty()) return {};
  if (const auto s = parse_checks(value)) return *s;
  refuse("HEIST_CHECK", value, check_form);
}

const check_library* check_library_for(const check_settings& wanted) {
  if (!wanted.locks && wanted.block.count() == 0) return nullptr;
  const void* const found = platform::find_exported(check_library_name);
  if (found == nullptr)
    throw usage_error(
        "HEIST_CHECK: locks and block:TIME need libheist-check.so: start the program by heist "
        "check PROGRAM");
  return static_cast<const check_library*>(found);
}

bool monitor_from_environment() { return flag("HEIST_MONITOR"); }
bool scalar_sort_from_environment() { return flag("HEIST_SCALAR_SORT"); }

trace_settings trace_settings_from_environment() {
  trace_settings s;
  const char* const file = platform::environment_variable("HEIST_TRACE");
  if (file == nullptr || std::string_view(file).empty() || std::string_view(file) == "0") return s;
  s.file = with_process_number(file);
  const char* const events = platform::environment_variable("HEIST_TRACE_EVENTS");
  s.is_in_memory = flag("HEIST_TRACE_MEMORY");
  s.events = s.is_in_memory ? trace::default_events : trace::most_events;
  if (events == nullptr || std::string_view(events).empty()) return s;
  const std::string_view text(events);
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), s.events);
  if (problem != std::errc() || end != text.data() + text.size() ||
      s.events < trace::least_events || s.events > trace::most_events)
    refuse("HEIST_TRACE_EVENTS", text,
           "a number from " + std::to_string(trace::least_events) + " to " +
               std::to_string(trace::most_events));
  return s;
}

namespace {

constexpr const char* profile_form =
    "workspan or workspan:FILE, then any of ,fork=NS ,steal=NS ,suspend=NS ,dag=FILE";

double nanoseconds(std::string_view value, std::string_view whole) {
  constexpr double most = 1e9;
  // libc++ 19 has no std::from_chars for floating-point numbers.
  std::istringstream text{std::string(value)};
  text.imbue(std::locale::classic());
  double ns = 0;
  text >> std::noskipws >> ns;
  if (text.fail() || text.peek() != std::istringstream::traits_type::eof() || !(ns >= 0) ||
      ns > most)
    refuse("HEIST_PROFILE", whole, "workspan with costs from 0 to 1e9 nanoseconds");
  return ns;
}

// One of the settings behind the first comma.
void set_profile(profile_settings& s, std::string_view setting, std::string_view whole) {
  const std::size_t equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : setting.substr(equals + 1);
  if (value.empty()) refuse("HEIST_PROFILE", whole, profile_form);
  if (name == "dag") {
    s.dag_file = value;
    s.options.keep_dag = true;
    return;
  }
  work_span_costs& costs = s.options.costs;
  double* const cost = name == "fork"      ? &costs.fork_ns
                       : name == "steal"   ? &costs.steal_ns
                       : name == "suspend" ? &costs.suspend_ns
                                           : nullptr;
  if (cost == nullptr) refuse("HEIST_PROFILE", whole, profile_form);
  *cost = nanoseconds(value, whole);
  costs.source = "HEIST_PROFILE";
}

}  // namespace

profile_settings profile_from_environment() {
  profile_settings s;
  const char* const value = platform::environment_variable("HEIST_PROFILE");
  if (value == nullptr || std::string_view(value).empty() || std::string_view(value) == "0")
    return s;
  const std::string_view whole(value);
  constexpr std::string_view kind = "workspan";
  std::string_view rest = whole.substr(std::min(whole.find(','), whole.size()));
  std::string_view first = whole.substr(0, whole.size() - rest.size());
  if (!first.starts_with(kind)) refuse("HEIST_PROFILE", whole, profile_form);
  first.remove_prefix(kind.size());
  if (!first.empty() && (first.front() != ':' || first.size() == 1))
    refuse("HEIST_PROFILE", whole, profile_form);
  s.is_on = true;
  if (!first.empty()) s.file = first.substr(1);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view setting = rest.substr(0, rest.find(','));
    set_profile(s, setting, whole);
    rest.remove_prefix(setting.size());
  }
  return s;
}

bool serial_elision() {
  static constinit platform::once_flag read;
  static constinit bool serial = false;
  read.call([] { serial = flag("HEIST_SERIAL"); });
  return serial;
}

namespace {

// As pool_config::callers says.
bool lets_callers_work(const pool_config& c) {
  return c.deque == deque_kind::split && c.join == join_kind::greedy &&
         c.placement == placement_kind::free && c.yield != yield_kind::to_random &&
         c.yield != yield_kind::to_all && !c.on_thread_start && !c.on_thread_stop;
}

// As pool_config::node says.
void check_node(pool_config& c) {
  if (c.node == -1) return;
  const auto refuse = [&c](const std::string& wanted) {
    throw usage_error("pool_config::node = " + std::to_string(c.node) + ": must be " + wanted);
  };
  if (c.placement != placement_kind::by_node) refuse("-1, except with placement_kind::by_node");
  const auto nodes = platform::usable_nodes();
  const auto node = static_cast<std::size_t>(c.node);
  if (c.node < 0 || node >= nodes.size())
    refuse("from 0 to " + std::to_string(nodes.size() - 1) + ", or -1 for all nodes");
  if (c.workers == 0) c.workers = static_cast<unsigned>(nodes[node].cpus.size());
}

}  // namespace

pool_config resolve(pool_config c) {
  if (c.workers > pool_config::max_workers)
    refuse_field("workers", c.workers, "at most " + std::to_string(pool_config::max_workers));
  check_node(c);
  if (c.workers == 0) c.workers = workers_from_environment();
  if (c.workers == 0) c.workers = static_cast<unsigned>(platform::find_cpu_limits().workers);
  if (c.workers > pool_config::max_workers) c.workers = pool_config::max_workers;

  if (serial_elision()) c.workers = 1;  // it won't be used

  if (c.stack_size == 0) c.stack_size = stack_size_from_environment();
  if (c.stack_size == 0) c.stack_size = pool_config::default_stack_size;
  if (c.stack_size < pool_config::min_stack_size || c.stack_size > pool_config::max_stack_size)
    refuse_field("stack_size", c.stack_size,
                 "from " + std::to_string(pool_config::min_stack_size) + " to " +
                     std::to_string(pool_config::max_stack_size) + " bytes");

  if (c.fork_depth == 0) c.fork_depth = pool_config::default_fork_depth;
  if (c.fork_depth > pool_config::max_fork_depth)
    refuse_field("fork_depth", c.fork_depth,
                 "at most " + std::to_string(pool_config::max_fork_depth));

  if (c.steal_batch == 0 || c.steal_batch > pool_config::max_steal_batch)
    refuse_field("steal_batch", c.steal_batch,
                 "from 1 to " + std::to_string(pool_config::max_steal_batch));

  check_enum("deque", c.deque, deque_kind::shared_queue);
  check_enum("rule", c.rule, steal_rule::k_or_one);
  check_enum("order", c.order, queue_order::priority);
  check_enum("join", c.join, join_kind::stalling);
  check_enum("spawn", c.spawn, spawn_kind::child);
  check_enum("victim", c.victim, victim_kind::nearest);
  check_enum("idle", c.idle, idle_kind::spin);
  check_enum("yield", c.yield, yield_kind::to_all);
  check_enum("stats", c.stats, stats_kind::full);
  c.stats = std::max(c.stats, stats_from_environment().kind);
  check_enum("placement", c.placement, placement_kind::by_node);
  if (c.join == join_kind::stalling || c.deque == deque_kind::shared_queue)
    c.spawn = spawn_kind::child;
  check_enum("callers", c.callers, caller_kind::wait);
  if (!lets_callers_work(c)) c.callers = caller_kind::wait;
  if (c.caller_seats > pool_config::max_caller_seats)
    refuse_field("caller_seats", c.caller_seats,
                 "at most " + std::to_string(pool_config::max_caller_seats));
  if (c.caller_seats != 0 && c.callers == caller_kind::wait)
    refuse_field("caller_seats", c.caller_seats, "0 in a pool whose callers wait (caller_kind)");
  return c;
}

}  // namespace heist::inline v0::detail
