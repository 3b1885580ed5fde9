#include "cli/theory/theory_adversaries.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cli/theory/theory.hpp"
#include "lab/catalog/computation.hpp"
#include "lab/catalog/kernels.hpp"
#include "report/page.hpp"

namespace heist::cli {

namespace {

using report::value;

constexpr lab::yield_policy all_yields[] = {lab::yield_policy::none, lab::yield_policy::to_random,
                                            lab::yield_policy::to_all};

// A number that only runs which came to an end have.
template <class Number>
auto if_ended(Number&& number) {
  return [number](const lab::kernel_study_row& row) {
    return row.has_ended() ? value(number(row)) : value(report::left_out());
  };
}

std::string kernel_study_page(const kernel_study_request& request,
                              const std::vector<lab::kernel_study_row>& rows,
                              const std::vector<report::chart>& charts) {
  report::page page("Kernels that are adversaries: " + request.dag, request.command);
  page.paragraph(
      "P processes steal work from each other on the processors that a kernel gives them, PA on "
      "average. The theorems promise O(T1/PA + Tinf P/PA): against a benign kernel always, "
      "against an oblivious one if a thief yields to a random process after a failed attempt, "
      "against an adaptive one if it yields to all others.");
  page.paragraph(
      "What to see: with the yield that the theorem asks for, every kernel stays near the dashed "
      "line. Without one, a kernel that keeps from running who has the work may stop a run for "
      "ever: then there is no mark.");
  for (const auto& chart : charts)
    page.add(chart, "Marks are means, lines go from the least to the greatest of the runs.");
  if (const auto fit = kernel_study_fit_text(rows); !fit.empty()) page.paragraph(fit + ".");
  const auto columns = kernel_study_columns();
  const auto views = kernel_study_views();
  return page.add(columns.page_table(views.text, rows))
      .data(columns.json_array(views.json, rows, ",\n "))
      .html();
}

}  // namespace

report::columns<lab::kernel_study_row> kernel_study_columns() {
  using row = lab::kernel_study_row;
  return report::columns<row>(
      {
          {.key = "kernel",
           .heading = "kernel",
           .get = [](const row& r) { return value(r.kernel); },
           .width = 17,
           .to = report::side::left},
          {"P", "P", [](const row& r) { return value(std::uint64_t{r.processes}); }},
          {"knows", "knows", [](const row& r) { return value(r.knows); }},
          {"yield", "yield", [](const row& r) { return value(std::string(to_string(r.yield))); }},
          {"suffices", "suffices", [](const row& r) { return value(r.suffices); }},
          {"runs", "", [](const row& r) { return value(r.steps.count + r.given_up); }},
          {"given_up", "", [](const row& r) { return value(r.given_up); }},
          {"average_processors",
           "PA",
           if_ended([](const row& r) { return r.average.mean; }),
           0,
           {.digits = 2}},
          {"steps", "T", if_ended([](const row& r) { return r.steps.mean; })},
          {"half_width", "+-95%", [](const row& r) { return half_width(r.steps); }},
          {"steps_low", "", if_ended([](const row& r) { return mean_interval(r.steps).low; })},
          {"steps_high", "", if_ended([](const row& r) { return mean_interval(r.steps).high; })},
          {"over_bound",
           "T/bound",
           if_ended([](const row& r) { return r.ratio.mean; }),
           0,
           {.digits = 3}},
          {"over_bound_most",
           "most",
           if_ended([](const row& r) { return r.ratio.greatest; }),
           0,
           {.digits = 3}},
          {"never_ended", "never ended",
           [](const row& r) {
             return value(fmt::format("{} of {}", r.given_up, r.given_up + r.steps.count));
           }},
      },
      theory_style);
}

row_views kernel_study_views() {
  const report::view people = {
      "kernel", "P",          "knows",      "yield",           "suffices",   "average_processors",
      "steps",  "half_width", "over_bound", "over_bound_most", "never_ended"};
  return {.text = people,
          .csv = people,
          .json = {"kernel", "P", "knows", "yield", "suffices", "runs", "given_up",
                   "average_processors", "steps", "steps_low", "steps_high", "over_bound",
                   "over_bound_most"}};
}

report::chart kernel_study_chart(const std::string& title,
                                 const std::vector<lab::kernel_study_row>& rows,
                                 std::uint32_t processes) {
  report::chart result;
  result.title = title;
  result.y = {"T over the bound", report::axis_scale::log2};
  for (const auto& row : rows)
    if (row.processes == processes &&
        std::find(result.x.names.begin(), result.x.names.end(), row.kernel) == result.x.names.end())
      result.x.names.push_back(row.kernel);
  for (const auto yield : all_yields) {
    report::series of_yield{fmt::format("yield {}", to_string(yield)),
                            report::series_style::points};
    for (const auto& row : rows) {
      if (row.processes != processes || row.yield != yield || !row.has_ended()) continue;
      const auto place = std::find(result.x.names.begin(), result.x.names.end(), row.kernel);
      // The yields' points lie beside each other, as they may be equal.
      const double x = static_cast<double>(place - result.x.names.begin()) +
                       0.18 * (static_cast<double>(yield) - 1);
      of_yield.points.push_back({x, row.ratio.mean, row.ratio.least, row.ratio.greatest});
    }
    if (!of_yield.points.empty()) result.all.push_back(std::move(of_yield));
  }
  const auto last = static_cast<double>(result.x.names.size()) - 0.5;
  result.all.push_back({"T1/PA + Tinf P/PA", report::series_style::bound, {{-0.5, 1}, {last, 1}}});
  return result;
}

std::string kernel_study_fit_text(const std::vector<lab::kernel_study_row>& rows) {
  const auto fitted = lab::fit_kernel_study(rows);
  if (!fitted) return "";
  return fmt::format(
      "where the yield suffices, {} runs: T = {:.3f} T1/PA + {:.3f} Tinf P/PA, at most {:.0f}% off",
      fitted->relative.size(), fitted->c1, fitted->cinf, 100 * fitted->worst);
}

int study_kernels(const kernel_study_request& request, output& out, std::FILE* err) {
  require_writable({request.svg, request.html});
  progress line(err);
  line.show(fmt::format("{}: serial run", request.dag));
  const auto program = lab::make_computation(request.dag);
  const auto measures = program->measure();
  line.clear();
  // An unknown kernel is refused before anything is printed.
  if (!request.kernel.empty())
    (void)lab::make_kernel(request.kernel, request.processes.front(), measures.span, 1);
  if (request.form == report::form::text)
    out.print("{}: T1 {}, Tinf {}, parallelism {:.1f}; {} runs for each row\n", request.dag,
              measures.work, measures.span, measures.parallelism(), request.setup.seeds);
  const auto columns = kernel_study_columns();
  row_output<lab::kernel_study_row> rows_out(out, request.form, columns, kernel_study_views());
  rows_out.print_head();
  std::vector<lab::kernel_study_row> rows;
  std::vector<report::chart> charts;
  for (const auto processes : request.processes) {
    const auto given = request.given != 0 ? request.given : (processes + 1) / 2;
    const auto words = request.kernel.empty() ? lab::kernel_words(processes, given, measures.span)
                                              : std::vector<std::string>{request.kernel};
    for (const auto& kernel : words)
      for (const auto yield : all_yields) {
        line.show(fmt::format("P = {}, {}, yield {}", processes, kernel, to_string(yield)));
        rows.push_back(study_kernel(*program, measures, request.setup, kernel, yield, processes));
        line.clear();
        rows_out.print(rows.back());
      }
    charts.push_back(
        kernel_study_chart(fmt::format("{}, P = {}", request.dag, processes), rows, processes));
  }
  if (const auto fit = kernel_study_fit_text(rows);
      !fit.empty() && request.form == report::form::text)
    out.print("{}\n", fit);
  if (!request.svg.empty()) write_file(request.svg, report::to_svg(charts.back()));
  if (!request.html.empty()) write_file(request.html, kernel_study_page(request, rows, charts));
  return success;
}

}  // namespace heist::cli
