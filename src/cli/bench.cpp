// heist bench: prints a benchmark's figures, the machine and the targets.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/machine.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"

namespace heist::cli {

namespace {

// Four significant digits, whatever the unit.
std::string figure(double value) {
  const double size = std::abs(value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  if (size >= 100) return fmt::format("{:.1f}", value);
  if (size >= 10) return fmt::format("{:.2f}", value);
  if (size >= 0.1) return fmt::format("{:.3f}", value);
  return size == 0 ? "0" : fmt::format("{:.3g}", value);
}

std::string with_unit(double value, const std::string& unit) {
  return unit.empty() ? figure(value) : figure(value) + ' ' + unit;
}

std::string describe(const bench::measure& measure) {
  const auto& values = measure.values;
  if (values.empty()) return measure.name + " -";
  auto text = measure.name + ' ' + with_unit(values.median(), measure.unit);
  if (values.size() > 1)
    text += fmt::format(" ({} to {})", figure(values.least()), figure(values.greatest()));
  return text;
}

void print_machine(const bench::machine& machine, output& out) {
  out.print("  {}; {} processors", machine.cpu, machine.processors);
  if (machine.quota > 0) out.print(", quota {:.2f}", machine.quota);
  out.print("; {}\n  {} {}; load before {:.2f}\n", machine.kernel, machine.compiler, machine.flags,
            machine.load);
  if (!machine.is_optimised) out.print("  not an optimised build: the figures are about it only\n");
}

// Prints a table. Measures that all rows have share a column width.
void print_rows(const std::vector<bench::row>& rows, output& out) {
  std::size_t name_width = 0;
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    name_width = std::max(name_width, row.name.size());
    widths.resize(std::max(widths.size(), row.measures.size()));
    for (std::size_t i = 0; i < row.measures.size(); ++i)
      widths[i] = std::max(widths[i], describe(row.measures[i]).size());
  }
  for (const auto& row : rows) {
    auto line = fmt::format("  {:<{}}", row.name, name_width);
    for (std::size_t i = 0; i < row.measures.size(); ++i)
      line += fmt::format("  {:<{}}", describe(row.measures[i]), widths[i]);
    if (!row.note.empty()) line += "  " + row.note;
    out.print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

void print_targets(const std::vector<bench::target>& targets, output& out) {
  for (const auto& target : targets) {
    out.print("  target: {}: {} {}: ", target.what,
              target.kind == bench::bound::at_most ? "at most" : "at least",
              with_unit(target.limit, target.unit));
    if (target.measured)
      out.print("{}, {}", with_unit(*target.measured, target.unit),
                target.met() ? "met" : "missed");
    else
      out.print("not measured");
    out.print("{}\n", target.note.empty() ? "" : " (" + target.note + ')');
  }
}

void print_report(const bench::report& report, const bench_request& request,
                  const bench::machine& machine, output& out) {
  out.print("{}: {}\n", request.benchmark->name, report.title);
  print_machine(machine, out);
  print_rows(report.rows, out);
  print_targets(report.targets, out);
  for (const auto& note : report.notes) out.print("  {}\n", note);
  out.print("  medians (least to greatest); every result as in serial{}\n",
            request.quick ? "; a quick run, whose figures mean little" : "");
}

}  // namespace

int bench_list(const bench_list_request& request, output& out) {
  for (const auto& benchmark : bench::all()) {
    if (request.json)
      out.print("{}\n", to_json(benchmark));
    else
      out.print("{:<16}{}\n", benchmark.name, benchmark.summary);
  }
  return success;
}

int run_bench(const bench_request& request, output& out, std::FILE* err) {
  const auto machine = bench::this_machine();
  bench::report report;
  try {
    progress line(err);
    auto settings = request.settings;
    settings.announce = [&](const std::string& what) {
      line.show(fmt::format("{}: {}", request.benchmark->name, what));
    };
    report = request.benchmark->run(request.values, settings);
  } catch (const bench::wrong_result& wrong) {
    fmt::print(err, "heist: {}: wrong result: {}\n", request.benchmark->name, wrong.what());
    return result_differs;
  }
  if (request.json)
    out.print("{}\n", to_json(report, request, machine));
  else
    print_report(report, request, machine, out);
  return success;
}

}  // namespace heist::cli
