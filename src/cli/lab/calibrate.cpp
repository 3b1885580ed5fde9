// heist lab calibrate: what the runtime's operations cost here, as a table and as a file for the
// lab.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "bench/rounds.hpp"
#include "calibration/costs.hpp"
#include "cli/cli.hpp"
#include "cli/lab/lab.hpp"
#include "cli/lab/lab_json.hpp"
#include "cli/progress.hpp"
#include "cli/row_output.hpp"
#include "report/columns.hpp"

namespace heist::cli {

namespace {

using report::value;

struct cost_row {
  std::string_view name;
  const report::samples& values;
  std::string_view what = {};
};

report::columns<cost_row> cost_columns() {
  using row = cost_row;
  constexpr report::number_format figure{report::number_format::figure};
  return report::columns<row>({
      {.key = "name",
       .heading = "",
       .get = [](const row& r) { return value(fmt::format("  {}", r.name)); },
       .width = 20,
       .to = report::side::left},
      {"median", "median", [](const row& r) { return value(r.values.median()); }, 10, figure},
      {"least", "least", [](const row& r) { return value(r.values.least()); }, 10, figure},
      {"greatest", "greatest", [](const row& r) { return value(r.values.greatest()); }, 10, figure},
      {"samples", "samples", [](const row& r) { return value(std::uint64_t{r.values.size()}); }, 9},
      {"what", "", [](const row& r) { return value(fmt::format("  {}", r.what)); }},
  });
}

void print_table(const calibration::measured_costs& costs, bool is_quick, output& out) {
  const auto& machine = costs.machine;
  out.print("costs on {}, {} processors, {} workers\n  {}; {} {}; load before {:.2f}\n",
            machine.cpu, machine.processors, costs.workers, machine.kernel, machine.compiler,
            machine.flags, machine.load);
  if (!machine.is_optimised) out.print("  not an optimised build: the figures are about it only\n");
  const auto columns = cost_columns();
  const report::view shown = {"name", "median", "least", "greatest", "samples", "what"};
  row_output<cost_row> rows_out(out, report::form::text, columns,
                                {.text = shown, .csv = {}, .json = {}});
  rows_out.print_head();
  for (const auto& each : costs.costs) rows_out.print({each.name, each.values, each.what});
  for (const auto& each : costs.distances) {
    out.print("  within {}: {} processors; measured between {} and {}\n", each.name,
              each.processors, each.first, each.second);
    rows_out.print({"steal_ns", each.steal_ns});
    rows_out.print({"failed_attempt_ns", each.failed_attempt_ns});
  }
  out.print("  topology: {}{}\n", costs.topology,
            costs.distances.size() < 2 ? "; no distances to tell apart" : "");
  for (const auto& each : costs.doubts()) out.print("  doubtful: {}\n", each);
  if (is_quick) out.print("  a quick run, whose figures mean little\n");
}

}  // namespace

int run_lab(const calibrate_request& request, output& out, std::FILE* err) {
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
