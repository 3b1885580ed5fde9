#include "cli/sim/sim_kernel.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cli/row_output.hpp"
#include "lab/catalog/kernels.hpp"
#include "lab/checks/kernel_checker.hpp"
#include "report/chart.hpp"
#include "report/columns.hpp"
#include "report/page.hpp"

namespace heist::cli {

namespace {

kernel_row run_row(const kernel_request& request, std::uint32_t processes, const lab::measures& of,
                   lab::computation& computation, lab::kernel_checker* checker, progress& line) {
  kernel_row row;
  row.processes = processes;
  auto settings = request.settings;
  settings.processes = processes;
  settings.observer = checker;
  for (std::uint64_t i = 0; i < request.seeds; ++i) {
    line.show(
        fmt::format("{}: P = {}, seed {} of {}", request.dag, processes, i + 1, request.seeds));
    settings.seed = request.first_seed + i;
    const auto result = computation.run_under_kernel(settings);
    if (checker != nullptr) checker->finish(settings, result);
    if (!result.is_finished) {
      ++row.unfinished;
      continue;
    }
    row.steps.add(static_cast<double>(result.run.steps));
    row.processor_average.add(result.processor_average());
    row.ratio.add(static_cast<double>(result.run.steps) / result.bound(of.work, of.span));
    row.attempts.add(static_cast<double>(result.run.attempts));
    row.steals.add(static_cast<double>(result.run.steals));
    row.spins.add(static_cast<double>(result.spins));
  }
  line.clear();
  return row;
}

using report::value;

bool is_greedy(const kernel_request& request) {
  return request.settings.scheduler == lab::user_scheduler::greedy;
}

bool runs_child_first(const kernel_request& request) {
  return request.settings.spawn == lab::spawn_order::child_first;
}
bool queues_enabled(const kernel_request& request) {
  return request.settings.enabled == lab::enabled_order::queued;
}

// Both arguments must outlive the columns.
report::columns<kernel_row> kernel_columns(const kernel_request& request, const lab::measures& of) {
  using row = kernel_row;
  return report::columns<row>({
      {"dag", "", [&](const row&) { return value(request.dag); }},
      {"scheduler", "",
       [&](const row&) { return value(std::string(is_greedy(request) ? "greedy" : "abp")); }},
      {"kernel", "", [&](const row&) { return value(request.settings.kernel); }},
      {"yield", "",
       [&](const row&) {
         return is_greedy(request) ? value()
                                   : value(std::string(to_string(request.settings.yield)));
       }},
      {"spawn", "",
       [&](const row&) {
         return is_greedy(request)
                    ? value()
                    : value(std::string(runs_child_first(request) ? "child" : "parent"));
       }},
      {"enabled", "",
       [&](const row&) {
         return is_greedy(request) ? value()
                                   : value(std::string(queues_enabled(request) ? "queued" : "run"));
       }},
      {"first_seed", "", [&](const row&) { return value(request.first_seed); }},
      {"work", "", [&](const row&) { return value(std::uint64_t{of.work}); }},
      {"span", "", [&](const row&) { return value(std::uint64_t{of.span}); }},
      {"processes", "P", [](const row& r) { return value(std::uint64_t{r.processes}); }, 8},
      {"seeds", "runs", [](const row& r) { return value(r.steps.count + r.unfinished); }},
      {"unfinished", "given up", [](const row& r) { return value(r.unfinished); }},
      {"steps", "T", [](const row& r) { return value(r.steps); }, 14},
      {"processor_average",
       "PA",
       [](const row& r) { return value(r.processor_average); },
       10,
       {.digits = 2}},
      {"steps_to_bound", "T/bound", [](const row& r) { return value(r.ratio); }, 12, {.digits = 3}},
      {"steals", "steals", [](const row& r) { return value(r.steals); }, 13},
      {"attempts",
       "attempts",
       [](const row& r) { return value(r.attempts); },
       14,
       {},
       "steal_attempts"},
      {"spins", "spins", [](const row& r) { return value(r.spins); }, 13},
  });
}

row_views kernel_views(const kernel_request& request) {
  row_views views = {
      .text = {"processes", "steps", "processor_average", "steps_to_bound", "steals", "attempts"},
      .csv = {"processes", "seeds", "unfinished", "steps", "processor_average", "steps_to_bound",
              "steals", "attempts"},
      .json = {"dag", "scheduler", "kernel", "yield", "spawn", "enabled", "processes", "seeds",
               "first_seed", "unfinished", "work", "span", "steps", "processor_average",
               "steps_to_bound", "steals", "attempts"}};
  if (request.settings.lock_steps != 0)
    for (auto* view : {&views.text, &views.csv, &views.json}) view->push_back("spins");
  return views;
}

// Says why a row has no figures, or that its figures are those of some runs only.
void print_unfinished(const kernel_request& request, const kernel_row& row,
                      const report::columns<kernel_row>& columns, output& out) {
  if (row.steps.count == 0) {
    out.print("{:>8}   no run comes to an end: given up after {} steps without progress\n",
              row.processes, request.settings.patience);
  } else {
    auto line = columns.text_line(kernel_views(request).text, row);
    line.pop_back();
    out.print("{}   {} of {} given up\n", line, row.unfinished, request.seeds);
  }
  out.flush();
}

std::string title_of(const kernel_request& request) {
  auto title = fmt::format(
      "{} under the kernel {}{}", is_greedy(request) ? "greedy" : "abp", request.settings.kernel,
      is_greedy(request) ? "" : fmt::format(", yields: {}", to_string(request.settings.yield)));
  if (!runs_child_first(request)) title += ", spawns: the parent goes on";
  if (!queues_enabled(request)) title += ", what is enabled is run";
  if (request.settings.lock_steps != 0)
    title += fmt::format(", deques with locks of {} steps", request.settings.lock_steps);
  return title;
}

report::point with_range(std::uint32_t processes, const report::summary& of) {
  return {static_cast<double>(processes), of.mean, of.least, of.greatest};
}

// T between its two bounds. Numbers of processes without a finished run have no mark.
report::chart time_chart(const kernel_request& request, const lab::measures& of,
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

void add_charts(report::page& page, const kernel_request& request, const lab::measures& of,
                const std::vector<kernel_row>& rows) {
  page.add(time_chart(request, of, rows),
           "Means, and from the least to the greatest run. Where no run came to an end there is no "
           "mark.");
  page.add(processors_chart(rows),
           "What the kernel gave. A yield may make it give fewer processors than it meant to.");
  if (request.settings.scheduler == lab::user_scheduler::abp)
    page.add(attempts_chart(of, rows), "Attempts to steal, beside P Tinf.");
}

std::string make_page(const kernel_request& request, const lab::measures& of,
                      const std::vector<kernel_row>& rows) {
  report::page page(fmt::format("{}: {}", request.dag, title_of(request)), request.command);
  page.paragraph(fmt::format(
      "T1 = {}, Tinf = {}. P processes run on the processors that a kernel gives them, PA on "
      "average over the steps. No schedule is shorter than T1/PA; a greedy one is no longer than "
      "T1/PA + Tinf (P - 1)/PA, and one by work stealing takes O(T1/PA + Tinf P/PA) if its thieves "
      "yield as the kernel demands.",
      of.work, of.span));
  if (rows.size() > 1) add_charts(page, request, of, rows);  // a curve needs two points
  const auto columns = kernel_columns(request, of);
  const report::view shown = {"processes",         "seeds",          "unfinished", "steps",
                              "processor_average", "steps_to_bound", "steals",     "attempts"};
  return page.add(columns.page_table(shown, rows))
      .data(columns.json_array(kernel_views(request).json, rows))
      .html();
}

void print_measures(const kernel_request& request, const lab::measures& of, output& out) {
  out.print("{}: T1 {}, Tinf {}, parallelism {:.1f}\n", request.dag, of.work, of.span,
            of.parallelism());
  out.print("{}, {}; bound: T1/PA + Tinf P/PA\n", title_of(request), mean_of(request.seeds));
}

void print_checks(const lab::kernel_checker& checked, const lab::measures& of, output& out) {
  out.print("checked: {} runs, {} steps; WORK, T1/PA and Tinf", checked.runs(), checked.steps());
  if (checked.deepest() > 0)
    out.print("; deques in order of depth, {} of Tinf = {} at most", checked.deepest(), of.span);
  out.print("; no violation\n");
}

}  // namespace

int simulate_under_kernel(const kernel_request& request, output& out, std::FILE* err) {
  const auto computation = lab::make_computation(request.dag);
  const auto of = computation->measure();
  for (const auto processes : request.processors)  // reports an error before anything is printed
    (void)lab::make_kernel(request.settings.kernel, processes, of.span, request.first_seed);
  const auto columns = kernel_columns(request, of);
  row_output<kernel_row> rows_out(out, request.form, columns, kernel_views(request));
  if (request.form == report::form::text) print_measures(request, of, out);
  rows_out.print_head();
  progress line(err);
  lab::kernel_checker checker(of);
  std::vector<kernel_row> rows;
  for (const auto processes : request.processors) {
    rows.push_back(
        run_row(request, processes, of, *computation, request.check ? &checker : nullptr, line));
    if (request.form == report::form::text && rows.back().unfinished > 0)
      print_unfinished(request, rows.back(), columns, out);
    else
      rows_out.print(rows.back());
  }
  if (request.check && request.form == report::form::text) print_checks(checker, of, out);
  if (!request.svg.empty()) write_file(request.svg, report::to_svg(time_chart(request, of, rows)));
  if (!request.html.empty()) write_file(request.html, make_page(request, of, rows));
  return success;
}

}  // namespace heist::cli
