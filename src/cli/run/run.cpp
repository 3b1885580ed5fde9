// heist run: runs one workload or all, on one worker and on many, and checks them against the
// serial run.
#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cli/run/measure.hpp"
#include "cli/run/run.hpp"
#include "cli/run/run_json.hpp"
#include "lab/engines/cost_model.hpp"
#include "platform/machine_load.hpp"

namespace heist::cli {

namespace {

std::string seconds(double value) {
  return value < 0.01 ? fmt::format("{:.6f}", value) : fmt::format("{:.3f}", value);
}

void print_times(output& out, std::string_view what, const report::samples& times,
                 std::string_view ratios) {
  out.print("  {:<12} {:>10} s   ({} to {}){}\n", what, seconds(times.median()),
            seconds(times.least()), seconds(times.greatest()), ratios);
}

// The preset and the policies that differ from the defaults, as "; cilk, deque chase_lev".
std::string unusual_policies(const run_report& report) {
  const pool_config& c = report.policies;
  const pool_config usual;
  std::string text = report.preset == "heist" ? "" : "; " + report.preset;
  const auto add = [&text](std::string_view what, auto kind, auto default_kind) {
    if (kind != default_kind) text += fmt::format(", {} {}", what, to_string(kind));
  };
  add("deque", c.deque, usual.deque);
  if (c.deque == deque_kind::multi_steal)
    text += fmt::format(" of {}{}", c.steal_batch, c.rule == steal_rule::k_or_one ? " or one" : "");
  if (c.deque == deque_kind::shared_queue) text += fmt::format(", {}", to_string(c.order));
  add("spawn", c.spawn, usual.spawn);
  add("join", c.join, usual.join);
  add("victim", c.victim, usual.victim);
  add("idle", c.idle, usual.idle);
  add("yield", c.yield, usual.yield);
  return text;
}

// Prints one workload: a line for each of the three times.
void print_block(const run_report& report, output& out) {
  out.print("{}: {}\n", report.workload, report.result);
  print_times(out, "serial", report.serial, "");
  print_times(out, "1 worker", report.one_worker,
              fmt::format("   T1/Ts {:.2f}", report.overhead()));
  if (report.workers > 1)
    print_times(
        out, fmt::format("{} workers", report.workers), report.p_workers,
        fmt::format("   speedup Ts/TP {:.2f}, T1/TP {:.2f}", report.speedup(), report.scaling()));
  if (report.items > 0)
    out.print("  {:.0f} {}, {:.2f} ns each on 1 worker, {:.2f} ns in serial\n", report.items,
              report.unit, report.one_worker.median() * 1e9 / report.items,
              report.serial.median() * 1e9 / report.items);
  out.print(
      "  steals {:.0f} a run; stacks {} at most; medians of {}; every result as in serial{}\n",
      report.steals_per_run(), report.stats.stacks_peak, report.serial.size(),
      unusual_policies(report));
  if (const std::string busy = platform::words_about(report.others); !busy.empty())
    out.print("  {}\n", busy);
}

void print_table_head(unsigned workers, output& out) {
  out.print("{:<11}{:>10}{:>10}{:>10}{:>8}{:>8}{:>8}{:>9}{:>8}  result\n", "workload", "Ts, s",
            "T1, s", fmt::format("T{}, s", workers), "T1/Ts", fmt::format("Ts/T{}", workers),
            fmt::format("T1/T{}", workers), "steals", "stacks");
}

void print_row(const run_report& report, output& out) {
  out.print("{:<11}{:>10}{:>10}{:>10}{:>8.2f}{:>8.2f}{:>8.2f}{:>9.0f}{:>8}  {}\n", report.workload,
            seconds(report.serial.median()), seconds(report.one_worker.median()),
            seconds(report.p_workers.median()), report.overhead(), report.speedup(),
            report.scaling(), report.steals_per_run(), report.stats.stacks_peak, report.result);
}

// What was measured without the profile stands beside what work and span allow.
void print_profile(const run_report& report, const work_span& profile, output& out) {
  out.print("{}", to_string(profile));
  out.print(
      "measured without the profile: T1/TP {:.2f} at P = {}; work and span allow {:.2f} to "
      "{:.2f}\n",
      report.scaling(), report.workers, profile.least_speedup(report.workers),
      profile.most_speedup(report.workers));
}

work_span_options profile_options(const run_request& request) {
  work_span_options options;
  options.keep_dag = !request.dag.empty();
  if (request.costs.empty()) return options;
  const lab::cost_model costs = lab::costs_from_file(request.costs);
  options.costs = {costs.fork_ns, costs.steal_ns, costs.suspend_ns, request.costs};
  return options;
}

void print_report(const run_report& report, const run_request& request, output& out) {
  if (request.json)
    out.print("{}\n", to_json(report));
  else if (request.all)
    print_row(report, out);
  else
    print_block(report, out);
  if (request.stats && !request.json) out.print("{}", to_string(report.stats));
  if (report.profile && !request.json) print_profile(report, *report.profile, out);
  if (report.deque_series && !request.json) print_series(*report.deque_series, out);
  out.flush();
}

run_report measure_chosen(const chosen_workload& chosen, const run_request& request,
                          std::FILE* err) {
  const auto name = chosen.workload->name();
  progress line(err);
  line.show(fmt::format("{}: input", name));
  const auto instance = chosen.workload->make(chosen.values);
  const platform::machine_load load;
  auto report =
      measure(name, *instance, request.pool, request.how, request.repeat,
              [&](const std::string& what) { line.show(fmt::format("{}: {}", name, what)); });
  report.others = load.of_others();
  report.preset = request.preset;
  report.options = chosen.values.texts();
  report.files = chosen.values.files();
  if (request.profile && !report.mistake) {
    line.show(fmt::format("{}: profile", name));
    auto config = request.pool;
    // The simulator adds what other busy workers cost.
    if (!request.dag.empty()) config.workers = 1;
    auto options = profile_options(request);
    if (options.keep_dag && !report.one_worker.empty())
      options.dag_work = report.one_worker.median();
    profile(report, *instance, config, request.how, options);
  }
  if (request.deque_series && !report.mistake) {
    line.show(fmt::format("{}: the deques' sizes", name));
    report.deque_series =
        observe_run(name, *instance, request.pool, request.how, *request.deque_series,
                    report.p_workers.median(), report.mistake);
  }
  if (!report.mistake) instance->write_output();
  if (!report.mistake && !request.dag.empty()) write_file(request.dag, report.profile->dag);
  return report;
}

bool can_run(const run_request& request, const workloads::workload& program) {
  return request.how.with != workloads::construct::plan || program.describe().has_only_loops;
}

}  // namespace

int run(const run_request& request, output& out, std::FILE* err) {
  require_writable({request.dag});
  static_cast<void>(profile_options(request));  // a bad file is refused before the runs
  if (request.deque_series) require_writable({request.deque_series->file});
  bool is_first = true;
  std::string left_out;  // of all
  for (const auto& chosen : request.chosen) {
    if (!can_run(request, *chosen.workload)) {
      left_out += fmt::format("{}{}", left_out.empty() ? "" : ", ", chosen.workload->name());
      continue;
    }
    const auto report = measure_chosen(chosen, request, err);
    if (is_first && report.missing_workers > 0)
      fmt::print(err, "heist: the system refused {} of {} threads; going on with {}\n",
                 report.missing_workers, report.workers + report.missing_workers, report.workers);
    if (report.mistake) {
      fmt::print(err, "heist: {}: wrong result: {}\n", report.workload, *report.mistake);
      return result_differs;
    }
    if (is_first && request.all && !request.json) print_table_head(report.workers, out);
    is_first = false;
    print_report(report, request, out);
    if (report.deque_series)
      write_series(*report.deque_series, *request.deque_series, request.command);
  }
  if (!left_out.empty() && !request.json)
    out.print("left out, since the preset {} has only loops and they fork: {}\n", request.preset,
              left_out);
  return success;
}

}  // namespace heist::cli
