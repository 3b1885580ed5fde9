#include "cli/sim_kernel.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cli/sim_page.hpp"
#include "lab/catalog/kernels.hpp"
#include "lab/checks/kernel_checker.hpp"
#include "report/chart.hpp"
#include "report/markup.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace heist::cli {

namespace {

kernel_row run_row(const sim_request& request, std::uint32_t processes, const lab::measures& of,
                   lab::computation& computation, lab::kernel_checker* checker, progress& line) {
  kernel_row row;
  row.processes = processes;
  std::vector<double> steps, average, ratio, attempts, steals;
  auto settings = request.kernel;
  settings.processes = processes;
  settings.observer = checker;
  for (std::uint64_t i = 0; i < request.seeds; ++i) {
    line.show(
        fmt::format("{}: P = {}, seed {} of {}", request.dag, processes, i + 1, request.seeds));
    settings.seed = request.settings.seed + i;
    const auto result = computation.run_under_kernel(settings);
    if (checker != nullptr) checker->finish(settings, result);
    if (!result.is_finished) {
      ++row.unfinished;
      continue;
    }
    steps.push_back(static_cast<double>(result.run.steps));
    average.push_back(result.processor_average());
    ratio.push_back(static_cast<double>(result.run.steps) / result.bound(of.work, of.span));
    attempts.push_back(static_cast<double>(result.run.attempts));
    steals.push_back(static_cast<double>(result.run.steals));
  }
  line.clear();
  row.steps = report::summarize(steps);
  row.processor_average = report::summarize(average);
  row.ratio = report::summarize(ratio);
  row.attempts = report::summarize(attempts);
  row.steals = report::summarize(steals);
  return row;
}

const std::vector<std::string> columns = {
    "processes",         "seeds",          "unfinished", "steps",
    "processor_average", "steps_to_bound", "steals",     "attempts"};

std::vector<std::string> cells(const kernel_row& row) {
  const auto mean = [&row](const report::summary& of) {
    return row.steps.count == 0 ? std::string() : fmt::format("{:.10g}", of.mean);
  };
  return {std::to_string(row.processes),
          std::to_string(row.steps.count + row.unfinished),
          std::to_string(row.unfinished),
          mean(row.steps),
          mean(row.processor_average),
          mean(row.ratio),
          mean(row.steals),
          mean(row.attempts)};
}

void print(const sim_request& request, const lab::measures& of, const kernel_row& row,
           output& out) {
  if (request.form == sim_form::json) {
    out.print("{}\n", to_json(request, of, row));
  } else if (request.form == sim_form::csv) {
    const auto with_head = report::to_csv({"", columns, {cells(row)}});
    out.print("{}", with_head.substr(with_head.find('\n') + 1));
  } else if (row.steps.count == 0) {
    out.print("{:>8}   no run comes to an end: given up after {} steps without progress\n",
              row.processes, request.kernel.patience);
  } else {
    out.print("{:>8}{:>14.0f}{:>10.2f}{:>12.3f}{:>13.0f}{:>14.0f}", row.processes, row.steps.mean,
              row.processor_average.mean, row.ratio.mean, row.steals.mean, row.attempts.mean);
    if (row.unfinished > 0) out.print("   {} of {} given up", row.unfinished, request.seeds);
    out.print("\n");
  }
  out.flush();
}

std::string title_of(const sim_request& request) {
  const bool is_greedy = request.kernel.scheduler == lab::user_scheduler::greedy;
  return fmt::format("{} under the kernel {}{}", is_greedy ? "greedy" : "abp",
                     request.kernel.kernel,
                     is_greedy ? "" : fmt::format(", yields: {}", to_string(request.kernel.yield)));
}

report::point with_range(std::uint32_t processes, const report::summary& of) {
  return {static_cast<double>(processes), of.mean, of.least, of.greatest};
}

// T between its two bounds. Numbers of processes for which no run came to an end have no mark.
report::chart time_chart(const sim_request& request, const lab::measures& of,
                         const std::vector<kernel_row>& rows) {
  report::chart result;
  result.title = fmt::format("{}: {}", request.dag, title_of(request));
  result.x = {"processes P", report::axis_scale::log2};
  result.y = {"steps", report::axis_scale::log2};
  report::series measured{"T", report::series_style::line};
  report::series bound{"T1/PA + Tinf P/PA", report::series_style::bound};
  report::series least{"T1/PA", report::series_style::bound};
  for (const auto& row : rows) {
    if (row.steps.count == 0) continue;
    const double p = row.processes;
    const double share = static_cast<double>(of.work) / row.processor_average.mean;
    measured.points.push_back(with_range(row.processes, row.steps));
    bound.points.push_back(
        {p, share + static_cast<double>(of.span) * p / row.processor_average.mean});
    least.points.push_back({p, share});
  }
  result.all = {measured, bound, least};
  return result;
}

report::chart processors_chart(const std::vector<kernel_row>& rows) {
  report::chart result;
  result.title = "Processors";
  result.x = {"processes P", report::axis_scale::log2};
  result.y = {"processors given, on average", report::axis_scale::log2};
  report::series given{"PA", report::series_style::line};
  report::series all{"P", report::series_style::bound};
  for (const auto& row : rows) {
    if (row.steps.count > 0)
      given.points.push_back(with_range(row.processes, row.processor_average));
    all.points.push_back({static_cast<double>(row.processes), static_cast<double>(row.processes)});
  }
  result.all = {given, all};
  return result;
}

report::chart attempts_chart(const lab::measures& of, const std::vector<kernel_row>& rows) {
  report::chart result;
  result.title = "Steal attempts";
  result.x = {"processes P", report::axis_scale::log2};
  result.y = {"attempts", report::axis_scale::log10};
  report::series attempts{"attempts", report::series_style::line};
  report::series bound{"P Tinf", report::series_style::bound};
  for (const auto& row : rows) {
    if (row.steps.count > 0) attempts.points.push_back(with_range(row.processes, row.attempts));
    bound.points.push_back(
        {static_cast<double>(row.processes), static_cast<double>(of.span) * row.processes});
  }
  result.all = {attempts, bound};
  return result;
}

named_cells named(const kernel_row& row) {
  const auto mean = [&row](const report::summary& of) {
    return row.steps.count == 0 ? std::string("-") : report::figure(of.mean);
  };
  return {{"P", fmt::to_string(row.processes)},
          {"runs", fmt::to_string(row.steps.count + row.unfinished)},
          {"given up", fmt::to_string(row.unfinished)},
          {"T", mean(row.steps)},
          {"PA", mean(row.processor_average)},
          {"T/bound", mean(row.ratio)},
          {"steals", mean(row.steals)},
          {"attempts", mean(row.attempts)}};
}

void add_charts(report::page& page, const sim_request& request, const lab::measures& of,
                const std::vector<kernel_row>& rows) {
  page.add(time_chart(request, of, rows),
           "Means, and from the least to the greatest run. Where no run came to an end there is no "
           "mark.");
  page.add(processors_chart(rows),
           "What the kernel gave. A yield may make it give fewer processors than it meant to.");
  if (request.kernel.scheduler == lab::user_scheduler::abp)
    page.add(attempts_chart(of, rows), "Attempts to steal, beside P Tinf.");
}

std::string make_page(const sim_request& request, const lab::measures& of,
                      const std::vector<kernel_row>& rows) {
  report::page page(fmt::format("{}: {}", request.dag, title_of(request)), request.command);
  page.paragraph(fmt::format(
      "T1 = {}, Tinf = {}. P processes run on the processors that a kernel gives them, PA on "
      "average over the steps. No schedule is shorter than T1/PA; a greedy one is no longer than "
      "T1/PA + Tinf (P - 1)/PA, and one by work stealing takes O(T1/PA + Tinf P/PA) if its thieves "
      "yield as the kernel demands.",
      of.work, of.span));
  if (rows.size() > 1) add_charts(page, request, of, rows);  // a curve needs two points
  std::vector<named_cells> table;
  std::string data = "[";
  for (const auto& row : rows) {
    table.push_back(named(row));
    data += (data.size() > 1 ? ",\n" : "") + to_json(request, of, row);
  }
  return page.add(table_of(table)).data(data + "]").html();
}

void print_head(const sim_request& request, const lab::measures& of, output& out) {
  if (request.form == sim_form::csv) out.print("{}", report::to_csv({"", columns, {}}));
  if (request.form == sim_form::text) {
    out.print("{}: T1 {}, Tinf {}, parallelism {:.1f}\n", request.dag, of.work, of.span,
              of.parallelism());
    out.print("{}, mean of {} seeds; bound: T1/PA + Tinf P/PA\n", title_of(request), request.seeds);
    out.print("{:>8}{:>14}{:>10}{:>12}{:>13}{:>14}\n", "P", "T", "PA", "T/bound", "steals",
              "attempts");
  }
  out.flush();
}

void print_checks(const lab::kernel_checker& checked, const lab::measures& of, output& out) {
  out.print("checked: {} runs, {} steps; WORK, T1/PA and Tinf", checked.runs(), checked.steps());
  if (checked.deepest() > 0)
    out.print("; deques in order of depth, {} of Tinf = {} at most", checked.deepest(), of.span);
  out.print("; no violation\n");
}

}  // namespace

int simulate_under_kernel(const sim_request& request, lab::computation& computation, output& out,
                          std::FILE* err) {
  const auto of = computation.measure();
  for (const auto processes :
       request.processors)  // so that a mistake is told before anything is printed
    (void)lab::make_kernel(request.kernel.kernel, processes, of.span, request.settings.seed);
  print_head(request, of, out);
  progress line(err);
  lab::kernel_checker checker(of);
  std::vector<kernel_row> rows;
  for (const auto processes : request.processors) {
    rows.push_back(
        run_row(request, processes, of, computation, request.check ? &checker : nullptr, line));
    print(request, of, rows.back(), out);
  }
  if (request.check && request.form == sim_form::text) print_checks(checker, of, out);
  if (!request.svg.empty()) write_file(request.svg, report::to_svg(time_chart(request, of, rows)));
  if (!request.html.empty()) write_file(request.html, make_page(request, of, rows));
  return success;
}

}  // namespace heist::cli
