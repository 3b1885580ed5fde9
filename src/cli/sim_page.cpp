#include "cli/sim_page.hpp"

#include <fmt/format.h>

#include "lab/catalog/schedulers.hpp"
#include "lab/checks/schedule_svg.hpp"
#include "lab/experiments/time_fit.hpp"
#include "report/chart.hpp"
#include "report/markup.hpp"

namespace heist::cli {

namespace {

class charts {
 public:
  charts(const sim_request& request, const sim_results& results)
      : request_(request), measures_(results.measures), rows_(results.rows) {}

  // What ran, as a title says it.
  [[nodiscard]] std::string subject() const {
    auto text = fmt::format("{}, {}", request_.dag, to_string(request_.settings.scheduler));
    if (!has_chance(request_.settings)) return text;
    using enum lab::victim_choice;
    const auto victims = request_.settings.stealing.victims;
    if (victims == nearest) text += ", nearest victims";
    if (victims == lifeline) text += ", lifelines";
    return text;
  }

  [[nodiscard]] report::chart speedup_chart() const {
    report::chart result;
    result.title = subject();
    result.x = {"processors", report::axis_scale::log2};
    result.y = {"speedup T1/T", report::axis_scale::log2};
    report::series measured{"simulated", report::series_style::line};
    report::series bound{"T1/(T1/P + Tinf)", report::series_style::bound};
    report::series perfect{"P", report::series_style::bound};
    for (const auto& row : rows_) {
      const double p = row.processors;
      const auto work = static_cast<double>(measures_.work);
      report::point at{p, row.speedup(measures_)};
      if (row.steps.count > 1) {
        const auto interval = report::mean_interval(row.steps);
        at.low = work / interval.high;
        at.high = work / interval.low;
      }
      measured.points.push_back(at);
      bound.points.push_back({p, work / row.bound(measures_)});
      perfect.points.push_back({p, p});
    }
    result.all = {measured, bound, perfect};
    return result;
  }

  [[nodiscard]] report::chart curve_chart() const {
    switch (request_.curve) {
      case sim_curve::speedup:
        break;
      case sim_curve::space:
        return space_chart();
      case sim_curve::attempts:
        return attempts_chart("Steal attempts",
                              [](const sim_row& row) { return row.attempts.mean; });
      case sim_curve::wait:
        return attempts_chart("WAIT", [](const sim_row& row) { return row.wait.mean; });
    }
    return speedup_chart();
  }

  [[nodiscard]] report::chart space_chart() const {
    return other_chart(
        "Space", "S1 P", [](const sim_row& row) { return static_cast<double>(row.peak_space); },
        [](const sim_row& row, const lab::measures& of) {
          return static_cast<double>(of.stack_depth) * row.processors;
        });
  }

  [[nodiscard]] report::chart attempts_chart(std::string_view title,
                                             double (*value)(const sim_row&)) const {
    return other_chart(title, "P Tinf", value, [](const sim_row& row, const lab::measures& of) {
      return static_cast<double>(of.span) * row.processors;
    });
  }

  // A quantity against P, with a bound beside it.
  [[nodiscard]] report::chart other_chart(std::string_view title, std::string_view bound_name,
                                          double (*value)(const sim_row&),
                                          double (*limit)(const sim_row&,
                                                          const lab::measures&)) const {
    report::chart result;
    result.title = fmt::format("{}: {}", title, subject());
    result.x = {"processors", report::axis_scale::log2};
    result.y = {std::string(title), report::axis_scale::log10};
    report::series measured{"simulated", report::series_style::line};
    report::series bound{std::string(bound_name), report::series_style::bound};
    for (const auto& row : rows_) {
      measured.points.push_back({static_cast<double>(row.processors), value(row)});
      bound.points.push_back({static_cast<double>(row.processors), limit(row, measures_)});
    }
    result.all = {measured, bound};
    return result;
  }

 private:
  const sim_request& request_;
  const lab::measures& measures_;
  const std::vector<sim_row>& rows_;
};

named_cells cells(const sim_request& request, const lab::measures& of, const sim_row& row) {
  const auto mean = [](const report::summary& values) { return report::figure(values.mean); };
  named_cells result = {{"P", fmt::to_string(row.processors)},
                        {"T", mean(row.steps)},
                        {"+-95%", relative_error(row.steps)},
                        {"T1/T", report::figure(row.speedup(of))},
                        {"T1/P + Tinf", report::figure(row.bound(of))}};
  if (has_chance(request.settings)) {
    const named_cells thieves = {{"runs", fmt::to_string(row.steps.count)},
                                 {"steals", mean(row.steals)},
                                 {"threads stolen", mean(row.threads_stolen)},
                                 {"attempts", mean(row.attempts)},
                                 {"WAIT", mean(row.wait)},
                                 {"communication", mean(row.communication)}};
    result.insert(result.end(), thieves.begin(), thieves.end());
  }
  const named_cells others = {{"idle", mean(row.idle)},
                              {"resumed", mean(row.resumed)},
                              {"S", fmt::to_string(row.peak_space)},
                              {"S1 P", fmt::to_string(of.stack_depth * row.processors)},
                              {"longest queue", fmt::to_string(row.peak_queue)}};
  result.insert(result.end(), others.begin(), others.end());
  return result;
}

constexpr std::string_view legend =
    "T is the mean over the runs, and so are the other columns but for those of space: S, the "
    "frames of living threads, and "
    "the longest queue are the largest of all runs. A processor pays each step for work, an "
    "attempt to steal, WAIT (for an "
    "answer) or idleness.";

void add_schedule(report::page& page, const sim_request& request, const sim_results& results) {
  page.picture(lab::schedule_to_svg(schedule_title(request), results.schedule, *results.dag),
               "A row for each processor, and below them the threads that nobody runs: ready, or "
               "(stalled).");
  page.add(lab::to_table(results.schedule, *results.dag)).heading("The run as a whole");
}

void add_charts(report::page& page, const sim_request& request, const sim_results& results) {
  const charts draw(request, results);
  page.add(draw.speedup_chart(),
           "Speedup: it follows P as long as that is small against the parallelism, and then "
           "levels out there.");
  page.add(draw.space_chart(),
           "Frames of living threads, at most, against the bound of Theorem 5 and Lemma 2.");
  if (has_chance(request.settings))
    page.add(
        draw.attempts_chart("Steal attempts", [](const sim_row& row) { return row.attempts.mean; }),
        "Attempts grow like P Tinf: they cost O(Tinf) of time on each processor.");
}

}  // namespace

std::string schedule_title(const sim_request& request) {
  return fmt::format("{}, {}, P = {}", request.dag, to_string(request.settings.scheduler),
                     request.processors.front());
}

std::string fit_text(const lab::measures& of, const std::vector<sim_row>& rows) {
  std::vector<lab::fitted_run> runs;
  for (const auto& row : rows)
    runs.push_back({static_cast<double>(of.work) / row.processors, static_cast<double>(of.span),
                    row.steps.mean});
  const auto fit = lab::fit_times(runs);
  return fmt::format("least squares: T = {:.3f} T1/P + {:.3f} Tinf, at most {:.1f}% off", fit.c1,
                     fit.cinf, 100 * fit.worst);
}

std::string sim_picture(const sim_request& request, const sim_results& results) {
  if (request.has_schedule && !results.schedule.empty())
    return lab::schedule_to_svg(schedule_title(request), results.schedule, *results.dag);
  return report::to_svg(charts(request, results).curve_chart());
}

std::string sim_page(const sim_request& request, const sim_results& results) {
  const auto& of = results.measures;
  report::page page(fmt::format("{} with {}", request.dag, to_string(request.settings.scheduler)),
                    request.command);
  page.paragraph(fmt::format("T1 = {}, Tinf = {}, parallelism {:.1f}, S1 = {}, {} threads.",
                             of.work, of.span, of.parallelism(), of.stack_depth, of.threads));
  if (results.rows.size() >= 3) page.paragraph(fit_text(of, results.rows) + ".");
  if (!results.schedule.empty()) add_schedule(page, request, results);
  if (results.rows.size() > 1) add_charts(page, request, results);  // a curve needs two points
  std::vector<named_cells> table;
  std::string data = "[";
  for (const auto& row : results.rows) {
    table.push_back(cells(request, of, row));
    data += (data.size() > 1 ? ",\n" : "") + to_json(request, of, row);
  }
  return page.add(table_of(table)).paragraph(legend).data(data + "]").html();
}

report::table table_of(const std::vector<named_cells>& rows) {
  report::table result;
  for (const auto& row : rows) {
    auto& cells = result.rows.emplace_back();
    for (const auto& [name, cell] : row) {
      if (result.rows.size() == 1) result.columns.push_back(name);
      cells.push_back(cell);
    }
  }
  return result;
}

std::string relative_error(const report::summary& of) {
  if (of.count < 2) return "-";
  const auto interval = report::mean_interval(of);
  return fmt::format("{:.2f}%", 50 * (interval.high - interval.low) / of.mean);
}

}  // namespace heist::cli
