#include "cli/report/report.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <heist/error.hpp>

#include "cli/args/suggest.hpp"
#include "cli/cli.hpp"
#include "cli/output.hpp"
#include "platform/utf8.hpp"
#include "recording/difference.hpp"
#include "recording/recording.hpp"
#include "recording/summary.hpp"
#include "report/run_page.hpp"
#include "report/table.hpp"
#include "report/text_file.hpp"
#include "trace/write.hpp"
#include "workloads/files.hpp"
namespace heist::cli {

namespace {

using nlohmann::json;

constexpr std::size_t max_shown_regions = 20;

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

double ms(double ns) { return ns * 1e-6; }

report::table lane_table(const trace::recording& r, const trace::summary& s) {
  report::table t;
  t.columns = {"thread",         "working",         "idle",   "parked", "blocked",
               "on a processor", "waiting for one", "steals", "jobs",   "waits"};
  for (std::size_t i = 0; i < r.lanes.size(); ++i) {
    const trace::lane_summary& l = s.lanes[i];
    std::vector<std::string> row = {r.lanes[i].name};
    for (const std::uint64_t ns : l.in_state)
      row.push_back(percent(static_cast<double>(ns), static_cast<double>(r.duration_ns)));
    for (const std::uint64_t ns : {l.processor_ns, l.ready_ns})
      row.push_back(s.knows_usage
                        ? percent(static_cast<double>(ns), static_cast<double>(r.duration_ns))
                        : "-");
    for (const std::uint64_t n : {l.steals, l.jobs, l.suspends}) row.push_back(std::to_string(n));
    t.rows.push_back(std::move(row));
  }
  return t;
}

report::table region_table(const trace::recording& r, const trace::summary& s) {
  report::table t;
  t.columns = {"region", "work, ms", "of all", "span, ms", "work/span", "alone, ms", "entered"};
  double all_work = 0;
  for (const trace::region_summary& g : s.regions) all_work += static_cast<double>(g.work_ns);
  for (const trace::region_summary& g : s.regions) {
    if (t.rows.size() == max_shown_regions) break;
    const auto work = static_cast<double>(g.work_ns);
    const auto span = static_cast<double>(g.span_ns);
    t.rows.push_back({g.number == 0 ? "(none)" : r.names[g.number], fmt::format("{:.3f}", ms(work)),
                      percent(work, all_work), fmt::format("{:.3f}", ms(span)),
                      span > 0 ? fmt::format("{:.2f}", work / span) : "-",
                      fmt::format("{:.3f}", ms(static_cast<double>(g.alone_ns))),
                      std::to_string(g.entered)});
  }
  return t;
}

constexpr std::size_t max_shown_waits = 8;

report::table wait_table(const trace::recording& r, const trace::summary& s) {
  report::table t;
  t.columns = {"waited for", "at", "in region", "times", "together, ms", "at most, ms"};
  for (const trace::wait_summary& w : s.waits) {
    if (t.rows.size() == max_shown_waits) break;
    t.rows.push_back({trace::awaited_names[w.kind],
                      w.name != 0     ? r.names[w.name]
                      : w.object == 0 ? "-"
                                      : fmt::format("{:#x}", w.object),
                      w.region == 0 ? "(none)" : r.names[w.region], std::to_string(w.count),
                      fmt::format("{:.3f}", ms(static_cast<double>(w.sum_ns))),
                      fmt::format("{:.3f}", ms(static_cast<double>(w.greatest_ns)))});
  }
  return t;
}

std::string spread_text(const char* what, const trace::spread& s) {
  if (s.count == 0) return "";
  return fmt::format("{:<13}{} of {:.2f} us at the median, {:.2f} on average, {:.2f} at most\n",
                     what, s.count, s.median * 1e-3, s.mean() * 1e-3, s.greatest * 1e-3);
}

// Of a run on one worker everything was done alone, which says nothing.
std::string amdahl_text(const trace::summary& s) {
  if (s.workers < 2 || s.busy_ns == 0) return "";
  std::string text = fmt::format(
      "Amdahl       {} of the work was done by one thread alone, so the speed-up is at most",
      percent(static_cast<double>(s.alone_ns), static_cast<double>(s.busy_ns)));
  for (const unsigned p : {2U, 8U, 64U})
    text += fmt::format(" {:.3g} on {} processors,", most_speedup(s, p), p);
  const double limit = most_speedup(s, HUGE_VAL);
  return text + (std::isfinite(limit) ? fmt::format(" {:.3g} on any number\n", limit)
                                      : " and has no limit\n");
}

std::string to_text(const trace::recording& r, const trace::summary& s) {
  std::string text = fmt::format(
      "{}: {:.3f} ms with {} worker{} on {} processor{} ({})\n"
      "{}\n{} events. {}\n\n",
      r.program, ms(static_cast<double>(r.duration_ns)), s.workers, s.workers == 1 ? "" : "s",
      r.processors, r.processors == 1 ? "" : "s", r.machine, machine_line_of(s), r.event_count(),
      headline_of(s));
  text += report::to_text(lane_table(r, s)) + "\n";
  text += "idle because";
  const char* separator = "  ";
  for (std::size_t k = 0; k < s.idle_ns.size(); ++k) {
    text += fmt::format(
        "{}{} {}", separator, trace::cause_names[k],
        percent(static_cast<double>(s.idle_ns[k]), static_cast<double>(s.all_idle_ns())));
    separator = ", ";
  }
  text += "\n" + amdahl_text(s) + spread_text("steals", s.steal_ns) +
          spread_text("wake-ups", s.wake_ns) + spread_text("stolen jobs", s.job_ns) + "\n";
  if (s.regions.size() > 1 || (!s.regions.empty() && s.regions.front().number != 0))
    text += report::to_text(region_table(r, s)) + "\n";
  if (!s.waits.empty()) text += report::to_text(wait_table(r, s)) + "\n";
  for (const trace::finding& f : trace::findings_of(r, s))
    text += fmt::format("- {} {}\n", f.what, f.remedy);
  return text;
}

std::string time_cell(double ns) { return fmt::format("{:.3f}", ms(ns)); }

std::string change_cell(const trace::compared& c) {
  const double change = c.change();
  return std::isfinite(change) ? fmt::format("{:+.1f} %", 100 * change) : "new";
}

// Two runs: what the whole took, then the regions. Only where a region was passed several times in
// each run is there a measure of the noise.
std::string to_text(const trace::difference& d, const trace::summary& before,
                    const trace::summary& after) {
  std::string text =
      "before: " + machine_line_of(before) + "\nafter:  " + machine_line_of(after) + "\n\n";
  report::table run;
  run.columns = {"of the run", "before, ms", "after, ms", "change"};
  for (const trace::compared& c : d.run)
    if (c.before != 0 || c.after != 0)
      run.rows.push_back({c.what, time_cell(c.before), time_cell(c.after), change_cell(c)});
  text += report::to_text(run);
  text +=
      fmt::format("steals: {} before, {} after\n\n", before.steal_ns.count, after.steal_ns.count);
  report::table regions;
  regions.columns = {"region", "work before, ms", "after, ms", "change"};
  for (const trace::compared& c : d.regions) {
    if (regions.rows.size() == max_shown_regions) break;
    regions.rows.push_back({c.what.empty() ? "(none)" : c.what, time_cell(c.before),
                            time_cell(c.after), change_cell(c)});
  }
  text += report::to_text(regions) + "\n";
  if (d.passes.empty())
    return text +
           "No region was passed twice in each run: how far apart two equal runs are isn't "
           "known.\n";
  report::table passes;
  passes.columns = {"one pass of", "before, ms", "after, ms", "noise, ms", "change", "is it one?"};
  for (const trace::compared& c : d.passes)
    passes.rows.push_back({c.what, time_cell(c.before), time_cell(c.after), time_cell(c.noise),
                           change_cell(c), c.is_clear() ? "yes" : "within the noise"});
  return text + report::to_text(passes);
}

// Names come from another program, and go to a terminal.
void make_printable(trace::recording& r) {
  for (std::string* name : {&r.program, &r.machine, &r.version, &r.clock})
    *name = platform::printable(*name);
  for (trace::lane& l : r.lanes) l.name = platform::printable(l.name);
  for (std::string& name : r.names) name = platform::printable(name);
}

class file_sink final : public trace::sink {
 public:
  explicit file_sink(const std::string& path) : file_(path) {}
  void write(std::string_view bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.stream()) != bytes.size())
      file_.fail(errno);
  }
  void commit() { file_.commit(); }

 private:
  workloads::output_file file_;
};

// A trace can't be made again, so no output may take its place.
void refuse_overwriting(const report_request& request) {
  for (const std::string& to : {request.page, request.convert}) {
    std::error_code ignored;
    if (!to.empty() && std::filesystem::equivalent(to, request.file, ignored))
      throw usage_error("report: '" + to + "' is the trace itself");
  }
  if (!request.page.empty() && request.page == request.convert)
    throw usage_error("report: '" + request.page + "' can't be both the page and the trace");
}

void convert(const trace::recording& r, const std::string& path) {
  trace::log copy = r;
  if (!r.statistics.is_null())
    copy.statistics_json = r.statistics.dump(-1, ' ', false, json::error_handler_t::replace);
  const bool is_json = path.ends_with(".json");
  if (const std::uint64_t bytes = r.event_count() * trace::json_event_bytes;
      is_json && bytes > trace::surprising_bytes)
    fmt::print(stderr, "heist: {} will have about {:.1f} GB\n", path,
               static_cast<double>(bytes) * 1e-9);
  file_sink to(path);
  if (is_json)
    trace::write_chrome_json(copy, to);
  else
    trace::write_binary(copy, to);
  to.commit();
}

void write_page(const trace::recording& r, const trace::summary& s, const std::string& path) {
  std::ostringstream page;
  report::write_run_page(page, r, s);
  write_file(path, page.view());
}

constexpr std::size_t longest_profile = std::size_t{64} << 20;  // bytes

trace::recording read_wanted_part(const std::string& path, const report_request& request) {
  trace::recording r = trace::read_recording(path);
  if (request.from_ns == 0 && request.to_ns == unbounded) return r;
  if (request.from_ns >= r.duration_ns)
    throw usage_error(fmt::format("report: --from is {:.6g} ms, and {} ends at {:.6g} ms",
                                  ms(static_cast<double>(request.from_ns)), path,
                                  ms(static_cast<double>(r.duration_ns))));
  return trace::part_of(std::move(r), request.from_ns, request.to_ns);
}

json read_profile(const std::string& path) {
  json profile = json::parse(report::read_text_file(path, longest_profile), nullptr, false);
  const auto format = profile.is_object() ? profile.find("format") : profile.end();
  if (!profile.is_object() || format == profile.end() || *format != "heist work and span 1")
    throw trace::trace_error(
        path + ": not a profile of work and span: HEIST_PROFILE=workspan:FILE writes one");
  return profile;
}

}  // namespace

int report_trace(const report_request& request, output& out) {
  refuse_overwriting(request);
  require_writable({request.page, request.convert});
  const auto dump = [](const json& what) {
    return what.dump(-1, ' ', false, json::error_handler_t::replace);
  };
  trace::recording r = read_wanted_part(request.file, request);
  if (!request.profile.empty()) r.profile = read_profile(request.profile);
  const trace::summary s = trace::summarise(r);
  if (!request.after.empty()) {
    trace::recording after = read_wanted_part(request.after, request);
    const trace::summary of_after = trace::summarise(after);
    if (!request.json) {
      make_printable(r);
      make_printable(after);
    }
    const trace::difference d = compare(r, s, after, of_after);
    out.print("{}", request.json ? dump(to_json(d)) + "\n" : to_text(d, s, of_after));
    out.flush();
    return success;
  }
  if (!request.convert.empty()) convert(r, request.convert);
  if (!request.page.empty()) write_page(r, s, request.page);
  if (request.json) {
    out.print("{}\n", dump(to_json(r, s)));
  } else {
    make_printable(r);
    out.print("{}", to_text(r, s));
  }
  out.flush();
  return success;
}

namespace {

// A number and ns, us, ms or s.
std::uint64_t time_of(const std::string& name, std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double ns = unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 1;
  constexpr double most = 1e17;
  if (problem != std::errc() || !(value >= 0) || value * ns > most || (ns == 1 && unit != "ns"))
    throw usage_error("report: " + name +
                      " takes a number and ns, us, ms or s, such as 1.5s, not '" +
                      std::string(text) + "'");
  return static_cast<std::uint64_t>(value * ns);
}

struct given_times {
  std::string from, to;
};

void read_times(const given_times& given, report_request& to) {
  if (!given.from.empty()) to.from_ns = time_of("--from", given.from);
  if (given.to.empty()) return;
  const bool is_length = given.to.starts_with('+');
  to.to_ns = time_of("--to", std::string_view(given.to).substr(is_length ? 1 : 0));
  if (is_length) to.to_ns += to.from_ns;
  if (to.to_ns <= to.from_ns) throw usage_error("report: --to must be later than --from");
}

}  // namespace

reader<report_request> add_report(arguments& own) {
  const auto given = std::make_shared<report_request>();
  const auto times = std::make_shared<given_times>();
  report_request& r = *given;
  own.add({"FILE", &r.file, "a trace that HEIST_TRACE or pool::stop_trace() has written"});
  own.add({"AFTER", &r.after, "one of the same program after a change: what differs"});
  own.add({"--json", &r.json, "an object, and no text"});
  own.add({"--profile", &r.profile,
           "a profile of the same run, from HEIST_PROFILE=workspan:FILE: it is part of the report",
           "FILE"});
  own.add({"--from", &times->from,
           "only what happened from this time on, since the beginning: 1.5s", "TIME"});
  own.add({"--to", &times->to, "and until this one: 20ms after --from is +20ms", "TIME"});
  own.add({"-o,--html", &r.page, "a page to look at, which works offline", "FILE"});
  own.add({"--convert", &r.convert,
           "the trace once more: NAME.json for Perfetto and Chrome, or NAME.htrace", "FILE"});
  return [given, times, &own](const std::string&) {
    refuse_extras(own.extras(), "report");
    if (given->file.empty())
      throw usage_error("report: which trace? HEIST_TRACE=t.json heist run fib records one");
    const auto& name = given->convert;
    if (!name.empty() && !name.ends_with(".json") && !name.ends_with(".htrace"))
      throw usage_error("report: --convert takes a name that ends in .json or .htrace, not '" +
                        name + "'");
    read_times(*times, *given);
    if (!given->after.empty() && (!given->page.empty() || !name.empty() || !given->profile.empty()))
      throw usage_error("report: of two traces there is text or --json, and no other file");
    return *given;
  };
}

}  // namespace heist::cli
