#include "cli/sim/sim_page.hpp"

#include <fmt/format.h>

#include "lab/catalog/schedulers.hpp"
#include "lab/checks/schedule_svg.hpp"
#include "lab/experiments/bounds.hpp"
#include "lab/experiments/time_fit.hpp"
#include "report/chart.hpp"

namespace heist::cli {

namespace {

class charts {
 public:
  charts(const step_request& request, const sim_results& results)
      : request_(request),
        measures_(results.measures),
        columns_(results.columns),
        rows_(results.rows) {}

  // The computation and the scheduler, for titles.
  [[nodiscard]] std::string subject() const {
    auto text = fmt::format("{}, {}", request_.dag, to_string(request_.settings.scheduler));
    if (!has_thieves(request_.settings)) return text;
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
        return attempts_chart();
      case sim_curve::communication:
        return communication_chart();
      case sim_curve::wait:
        return other_chart("WAIT", "wait_dollars", "P Tinf", "attempts_bound");
    }
    return speedup_chart();
  }

  [[nodiscard]] report::chart space_chart() const {
    return other_chart("Space", "peak_space", "S1 P", "space_bound");
  }

  [[nodiscard]] report::chart communication_chart() const {
    return other_chart("Communication", "communication", "P Tinf (1+nd) Smax",
                       "communication_bound");
  }

  [[nodiscard]] report::chart attempts_chart() const {
    return other_chart("Steal attempts", "steal_dollars", "P Tinf", "attempts_bound");
  }

 private:
  // A chart of a column and its bound against P.
  [[nodiscard]] report::chart other_chart(std::string_view title, std::string_view column,
                                          std::string_view bound_name,
                                          std::string_view bound_column) const {
    report::chart result;
    result.title = fmt::format("{}: {}", title, subject());
    result.x = {"processors", report::axis_scale::log2};
    result.y = {std::string(title), report::axis_scale::log10};
    result.all = {
        {"simulated", report::series_style::line, columns_.points("processors", column, rows_)},
        {std::string(bound_name), report::series_style::bound,
         columns_.points("processors", bound_column, rows_)}};
    return result;
  }

  const step_request& request_;
  const lab::measures& measures_;
  const report::columns<sim_row>& columns_;
  const std::vector<sim_row>& rows_;
};

constexpr std::string_view legend =
    "T is the mean over the runs, and so are the other columns but for those of space: S, the "
    "frames of living threads, and "
    "the longest queue are the largest of all runs. A processor pays each step for work, an "
    "attempt to steal, WAIT (for an "
    "answer) or idleness.";

void add_schedule(report::page& page, const step_request& request, const sim_results& results) {
  page.picture(lab::schedule_to_svg(schedule_title(request), results.schedule, *results.dag),
               "A row for each processor, and below them the threads that nobody runs: ready, or "
               "(stalled).");
  page.add(lab::to_table(results.schedule, *results.dag)).heading("The run as a whole");
}

void add_charts(report::page& page, const step_request& request, const sim_results& results) {
  const charts draw(request, results);
  page.add(draw.speedup_chart(),
           "Speedup: it follows P as long as that is small against the parallelism, and then "
           "levels out there.");
  page.add(draw.space_chart(),
           "Frames of living threads, at most, against the bound of Theorem 5 and Lemma 2.");
  if (has_thieves(request.settings))
    page.add(draw.attempts_chart(),
             "Attempts grow like P Tinf: they cost O(Tinf) of time on each processor.");
  if (has_chance(request.settings))
    page.add(draw.communication_chart(),
             "Communication: the largest frame for each thread that was stolen or given away, or "
             "that another processor enabled. With work stealing it is expected to be at most a "
             "constant times P Tinf (1+nd) Smax, nd being the joins of a thread with its parent.");
}

}  // namespace

std::string schedule_title(const step_request& request) {
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

std::string communication_fit_text(const lab::measures& of, const std::vector<sim_row>& rows) {
  std::vector<double> bounds, measured;
  for (const auto& row : rows) {
    if (row.processors == 1) continue;  // nobody to communicate with
    bounds.push_back(lab::bounds_of(of, row.processors).communication);
    measured.push_back(row.communication.mean);
  }
  const auto fit = report::least_squares({bounds}, measured);
  return fmt::format("least squares: communication = {:.4f} P Tinf (1+nd) Smax, R^2 {:.3f}",
                     fit.coefficients.front(), fit.r_squared);
}

std::string sim_picture(const step_request& request, const sim_results& results) {
  if (request.has_schedule && !results.schedule.empty())
    return lab::schedule_to_svg(schedule_title(request), results.schedule, *results.dag);
  return report::to_svg(charts(request, results).curve_chart());
}

std::string sim_page(const step_request& request, const sim_results& results) {
  const auto& of = results.measures;
  report::page page(fmt::format("{} with {}", request.dag, to_string(request.settings.scheduler)),
                    request.command);
  page.paragraph(fmt::format("T1 = {}, Tinf = {}, parallelism {:.1f}, S1 = {}, {} threads.",
                             of.work, of.span, of.parallelism(), of.stack_depth, of.threads));
  if (results.rows.size() >= 3) page.paragraph(fit_text(of, results.rows) + ".");
  if (!results.schedule.empty()) add_schedule(page, request, results);
  if (results.rows.size() > 1) add_charts(page, request, results);  // a curve needs two points
  return page.add(results.columns.page_table(sim_page_view(request), results.rows))
      .paragraph(legend)
      .data(results.columns.json_array(sim_views(request.shown).json, results.rows))
      .html();
}

}  // namespace heist::cli
