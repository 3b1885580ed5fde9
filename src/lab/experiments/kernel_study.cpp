#include "lab/experiments/kernel_study.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include <fmt/format.h>

#include "lab/catalog/kernels.hpp"
#include "lab/catalog/spec.hpp"
#include "report/markup.hpp"

namespace heist::lab {

namespace {

constexpr yield_policy all_yields[] = {yield_policy::none, yield_policy::to_random,
                                       yield_policy::to_all};

std::string knowledge_of(const std::string& kernel) {
  const spec word(kernel);
  for (const auto& each : kernels())
    if (each.name == word.name()) return std::string(each.knows);
  return "";  // make_kernel() will say that there is none
}

yield_policy needed_against(const std::string& knows) {
  if (knows == "adaptive") return yield_policy::to_all;
  return knows == "oblivious" ? yield_policy::to_random : yield_policy::none;
}

}  // namespace

std::vector<std::string> kernel_words(std::uint32_t processes, std::uint32_t given,
                                      std::uint64_t span) {
  std::vector<std::string> words = {"dedicated"};
  for (const auto& each : kernels()) {
    if (each.name == "dedicated" || each.name == "lower-bound") continue;
    if (each.name == "starve-first" && processes < 2) continue;
    words.push_back(fmt::format("{}:{}", each.name, given));
  }
  // PA' = Tinf P / (k + Tinf).
  words.push_back(fmt::format("lower-bound:{}", span * (processes - given) / given));
  return words;
}

kernel_study_row study_kernel(computation& program, const measures& measured,
                              const kernel_study_setup& setup, const std::string& kernel,
                              yield_policy yield, std::uint32_t processes) {
  kernel_study_row row;
  row.kernel = kernel;
  row.knows = knowledge_of(kernel);
  row.yield = yield;
  row.suffices = yield >= needed_against(row.knows);
  row.processes = processes;
  kernel_settings settings;
  settings.kernel = kernel;
  settings.processes = processes;
  settings.yield = yield;
  settings.patience = setup.patience;
  std::vector<double> steps, average, ratio;
  for (std::uint64_t i = 0; i < setup.seeds; ++i) {
    settings.seed = setup.seed + i;
    const auto result = program.run_under_kernel(settings);
    if (!result.is_finished) {
      ++row.given_up;
      continue;
    }
    const auto time = static_cast<double>(result.run.steps);
    const double given = result.processor_average();
    steps.push_back(time);
    average.push_back(given);
    ratio.push_back(time / result.bound(measured.work, measured.span));
    row.runs.push_back({static_cast<double>(measured.work) / given,
                        static_cast<double>(measured.span) * processes / given, time});
  }
  row.steps = report::summarize(steps);
  row.average = report::summarize(average);
  row.ratio = report::summarize(ratio);
  return row;
}

std::vector<std::string> kernel_study_columns() {
  return {"kernel", "P",     "knows",   "yield", "suffices",   "PA",
          "T",      "+-95%", "T/bound", "most",  "never ended"};
}

std::vector<std::string> kernel_study_cells(const kernel_study_row& row) {
  std::vector<std::string> cells = {row.kernel, fmt::to_string(row.processes), row.knows,
                                    std::string(to_string(row.yield)), row.suffices ? "yes" : "no"};
  if (row.has_ended()) {
    const auto mean = report::mean_interval(row.steps);
    cells.insert(
        cells.end(),
        {fmt::format("{:.2f}", row.average.mean), fmt::format("{:.0f}", row.steps.mean),
         row.steps.count > 1 ? fmt::format("{:.0f}", (mean.high - mean.low) / 2) : "-",
         fmt::format("{:.3f}", row.ratio.mean), fmt::format("{:.3f}", row.ratio.greatest)});
  } else {
    cells.insert(cells.end(), 5, "-");
  }
  cells.push_back(fmt::format("{} of {}", row.given_up, row.given_up + row.steps.count));
  return cells;
}

std::string kernel_study_json(const kernel_study_row& row) {
  auto text = fmt::format(
      "{{\"kernel\": {}, \"P\": {}, \"knows\": {}, \"yield\": {}, \"suffices\": {}, \"runs\": {}, "
      "\"given_up\": {}",
      report::json_text(row.kernel), row.processes, report::json_text(row.knows),
      report::json_text(to_string(row.yield)), row.suffices, row.steps.count + row.given_up,
      row.given_up);
  if (row.has_ended()) {
    const auto mean = report::mean_interval(row.steps);
    text += fmt::format(
        ", \"average_processors\": {}, \"steps\": {}, \"steps_low\": {}, \"steps_high\": {}, "
        "\"over_bound\": {}, \"over_bound_most\": {}",
        report::json_number(row.average.mean), report::json_number(row.steps.mean),
        report::json_number(mean.low), report::json_number(mean.high),
        report::json_number(row.ratio.mean), report::json_number(row.ratio.greatest));
  }
  return text + "}";
}

report::chart kernel_study_chart(const std::string& title,
                                 const std::vector<kernel_study_row>& rows,
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

std::string kernel_study_fit(const std::vector<kernel_study_row>& rows) {
  std::vector<fitted_run> runs;
  std::set<std::uint32_t> processes;
  for (const auto& row : rows) {
    if (!row.suffices || !row.has_ended()) continue;
    processes.insert(row.processes);
    runs.insert(runs.end(), row.runs.begin(), row.runs.end());
  }
  if (processes.size() < 2) return "";
  const auto fit = fit_times(runs);
  return fmt::format(
      "where the yield suffices, {} runs: T = {:.3f} T1/PA + {:.3f} Tinf P/PA, at most {:.0f}% off",
      runs.size(), fit.c1, fit.cinf, 100 * fit.worst);
}

}  // namespace heist::lab
