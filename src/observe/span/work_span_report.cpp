// A measurement of work and span as text and as JSON.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "heist/work_span.hpp"
#include "observe/span/work_measurement.hpp"
#include "observe/span/work_span_text.hpp"
#include "platform/json_text.hpp"
#include "platform/machine_load.hpp"
#include "platform/new_file.hpp"
#include "platform/once.hpp"
#include "platform/process.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/notes.hpp"

namespace heist::inline v0 {

namespace {

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(buffer, sizeof(buffer), format, arguments);
  va_end(arguments);
  return {buffer, std::min(static_cast<std::size_t>(std::max(n, 0)), sizeof(buffer) - 1)};
}

std::string time(double seconds) {
  if (seconds >= 1) return text("%.3f s", seconds);
  if (seconds >= 1e-3) return text("%.3f ms", seconds * 1e3);
  return text("%.2f us", seconds * 1e6);
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

using detail::shown;

std::string regions_table(const work_span& m) {
  if (m.regions.size() < 2) return {};
  std::size_t width = 6;
  for (const work_span_region& r : m.regions) width = std::max(width, r.name.size());
  width = std::min<std::size_t>(width, 40);
  const int w = static_cast<int>(width);
  std::string out = text("  %-*s %9s %12s %12s %12s %12s\n", w, "region", "entries", "T1", "Tinf",
                         "parallelism", "burdened");
  for (std::size_t i = 1; i < m.regions.size(); ++i) {
    const work_span_region& r = m.regions[i];
    out +=
        text("  %-*.40s %9llu %12s %12s %12.2f %12.2f\n", w, shown(r.name).c_str(),
             static_cast<unsigned long long>(r.entries), time(r.work).c_str(), time(r.span).c_str(),
             r.span > 0 ? r.work / r.span : 1, r.burdened_span > 0 ? r.work / r.burdened_span : 1);
  }
  return out;
}

std::string critical_path(const work_span& m) {
  std::vector<const work_span_region*> by_share;
  for (const work_span_region& r : m.regions)
    if (r.on_path > 0) by_share.push_back(&r);
  std::sort(by_share.begin(), by_share.end(), [](auto* a, auto* b) {
    return a->on_path != b->on_path ? a->on_path > b->on_path : a < b;
  });
  std::string out = "critical path, by region:\n";
  for (const work_span_region* r : by_share)
    out += text("  %5.1f %%  %s, %s\n", percent(r->on_path, m.span), shown(r->name).c_str(),
                time(r->on_path).c_str());
  return out;
}

constexpr std::array<unsigned, 9> predicted = {1, 2, 4, 8, 16, 32, 64, 128, 256};

std::string predictions(const work_span& m) {
  std::string out = "speed-up T1/TP that work and span allow (at least, at most):\n";
  for (const unsigned p : predicted)
    out += text("  P = %-4u %8.2f %8.2f\n", p, m.least_speedup(p), m.most_speedup(p));
  return out +
         "  at most min(P, T1/Tinf); at least T1 / (T1/P + 1.7 (1 - 1/P) burdened span)\n"
         "  (He, Leiserson, Leiserson: The Cilkview scalability analyzer, 2010)\n";
}

}  // namespace

std::string to_string(const work_span& m) {
  std::string out = "work and span:\n";
  out += text("  work T1           %12s", time(m.work).c_str());
  if (m.outside > 0) out += text("   of it %s on threads outside", time(m.outside).c_str());
  out += text("\n  span Tinf         %12s\n", time(m.span).c_str());
  out += text("  parallelism       %12.2f\n", m.parallelism());
  out += text("  burdened span     %12s\n", time(m.burdened_span).c_str());
  out += text("  burdened          %12.2f   fork %.3g ns, steal %.3g ns, suspend %.3g ns (%s)\n",
              m.burdened_parallelism(), m.costs.fork_ns, m.costs.steal_ns, m.costs.suspend_ns,
              shown(m.costs.source).c_str());
  const double in_pools = m.work - m.outside;
  out +=
      text("  strands           %12llu   %s each, after %.1f ns that an empty one takes\n",
           static_cast<unsigned long long>(m.strands),
           time(m.strands > 0 ? in_pools / static_cast<double>(m.strands) : 0).c_str(), m.clock_ns);
  out += text("  forks             %12llu   spawns %llu, steals %llu\n",
              static_cast<unsigned long long>(m.forks), static_cast<unsigned long long>(m.spawns),
              static_cast<unsigned long long>(m.steals));
  out += regions_table(m);
  out += critical_path(m);
  out += predictions(m);
  if (m.refused > 0)
    out += text("not covered: %llu forks were calls, and count as serial\n",
                static_cast<unsigned long long>(m.refused));
  for (const std::string& what : m.not_covered) out += "not covered: " + what + "\n";
  return out;
}

namespace {

using platform::json_text;

// The fields of one JSON object.
class object {
 public:
  void number(const char* name, double value) { add(name, text("%.9g", value)); }
  void count(const char* name, std::uint64_t value) {
    add(name, text("%llu", static_cast<unsigned long long>(value)));
  }
  void add(const char* name, const std::string& value) {
    out_ += (out_.empty() ? "{" : ", ") + json_text(name) + ": " + value;
  }
  [[nodiscard]] std::string close() const { return out_ + "}"; }

 private:
  std::string out_;
};

template <class Items, class One>
std::string array(const Items& items, const One& one) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() == 1 ? "" : ", ") + one(item);
  return out + "]";
}

std::string region_json(const work_span_region& r) {
  object o;
  o.add("name", json_text(r.name));
  o.count("entries", r.entries);
  o.number("own_work", r.own_work);
  o.number("work", r.work);
  o.number("span", r.span);
  o.number("burdened_span", r.burdened_span);
  o.number("on_path", r.on_path);
  return o.close();
}

}  // namespace

std::string to_json(const work_span& m) {
  object o;
  o.add("format", json_text("heist work and span 1"));
  o.number("work", m.work);
  o.number("outside", m.outside);
  o.number("span", m.span);
  o.number("parallelism", m.parallelism());
  o.number("burdened_span", m.burdened_span);
  o.number("burdened_parallelism", m.burdened_parallelism());
  object costs;
  costs.number("fork_ns", m.costs.fork_ns);
  costs.number("steal_ns", m.costs.steal_ns);
  costs.number("suspend_ns", m.costs.suspend_ns);
  costs.add("source", json_text(m.costs.source));
  o.add("costs", costs.close());
  o.count("forks", m.forks);
  o.count("spawns", m.spawns);
  o.count("steals", m.steals);
  o.count("strands", m.strands);
  o.count("refused", m.refused);
  o.number("clock_ns", m.clock_ns);
  o.add("regions", array(m.regions, region_json));
  o.add("predictions", array(predicted, [&](unsigned p) {
          object one;
          one.count("processors", p);
          one.number("least", m.least_speedup(p));
          one.number("most", m.most_speedup(p));
          return one.close();
        }));
  o.add("not_covered", array(m.not_covered, [](const std::string& s) { return json_text(s); }));
  return o.close() + "\n";
}

}  // namespace heist::inline v0

// ---- HEIST_PROFILE=workspan: a measurement from the first pool to the end of the process.
namespace heist::inline v0::detail {

namespace {

// Of the whole process; never destroyed, since it is used at the exit.
struct profile_at_exit {
  profile_settings settings;
  unsigned process = 0;  // its generation
  platform::machine_load load{};
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
    const std::string busy = platform::words_about(wanted->load.of_others());
    if (wanted->settings.file.empty())
      std::fputs((to_string(measured) + (busy.empty() ? "" : "  " + busy + "\n")).c_str(), stderr);
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
