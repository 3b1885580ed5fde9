// heist lab calibrate: what the runtime's operations cost here, as a table and as a file for the
// lab.
#include <cmath>

#include <fmt/format.h>

#include "bench/rounds.hpp"
#include "calibration/costs.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/lab_json.hpp"
#include "cli/progress.hpp"

namespace heist::cli {

namespace {

std::string figure(double value) {
  return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

void print_row(std::string_view name, const report::samples& values, std::string_view what,
               output& out) {
  out.print("  {:<18}{:>10}{:>10}{:>10}{:>9}  {}\n", name, figure(values.median()),
            figure(values.least()), figure(values.greatest()), values.size(), what);
}

void print_table(const calibration::measured_costs& costs, bool is_quick, output& out) {
  const auto& machine = costs.machine;
  out.print("costs on {}, {} processors, {} workers\n  {}; {} {}; load before {:.2f}\n",
            machine.cpu, machine.processors, costs.workers, machine.kernel, machine.compiler,
            machine.flags, machine.load);
  if (!machine.is_optimised) out.print("  not an optimised build: the figures are about it only\n");
  out.print("  {:<18}{:>10}{:>10}{:>10}{:>9}\n", "", "median", "least", "greatest", "samples");
  for (const auto& each : costs.costs) print_row(each.name, each.values, each.what, out);
  for (const auto& each : costs.distances) {
    out.print("  within {}: {} processors; measured between {} and {}\n", each.name,
              each.processors, each.first, each.second);
    print_row("steal_ns", each.steal_ns, "", out);
    print_row("failed_attempt_ns", each.failed_attempt_ns, "", out);
  }
  out.print("  topology: {}{}\n", costs.topology,
            costs.distances.size() < 2 ? "; no distances to tell apart" : "");
  if (is_quick) out.print("  a quick run, whose figures mean little\n");
}

}  // namespace

int calibrate(const calibrate_request& request, output& out, std::FILE* err) {
  require_writable({request.file});
  calibration::measure_settings settings{request.workers, request.repeat, request.quick};
  if (settings.workers == 0) settings.workers = std::max(2u, bench::workers_of({}));
  progress line(err);
  const auto costs = calibration::measure_costs(
      settings, [&](const std::string& what) { line.show("calibrate: " + what); });
  line.clear();
  if (request.json)
    out.print("{}", to_json(costs));
  else
    print_table(costs, request.quick, out);
  if (!request.file.empty()) write_file(request.file, to_json(costs));
  return success;
}

}  // namespace heist::cli
