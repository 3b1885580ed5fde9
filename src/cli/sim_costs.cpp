#include "cli/sim_costs.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cli/sim_page.hpp"
#include "report/chart.hpp"
#include "report/markup.hpp"
#include "report/table.hpp"

namespace heist::cli {

namespace {

const std::vector<std::string> columns = {
    "processors",      "seeds",   "seconds",    "seconds_low_95",
    "seconds_high_95", "speedup", "work_share", "overhead_share",
    "asleep_share",    "forks",   "steals",     "attempts",
    "suspensions",     "wakes",   "peak_space", "space_bound"};

std::vector<std::string> cells(const lab::measures& of, const lab::cost_model& costs,
                               const lab::timed_row& row) {
  const auto text = [](double value) { return fmt::format("{:.10g}", value); };
  const auto interval = report::mean_interval(row.seconds);
  const bool has_interval = row.seconds.count > 1;
  return {std::to_string(row.processors),
          std::to_string(row.seconds.count),
          text(row.seconds.mean),
          has_interval ? text(interval.low) : "",
          has_interval ? text(interval.high) : "",
          text(row.speedup(of, costs)),
          text(row.work_share.mean),
          text(row.overhead_share.mean),
          text(row.asleep_share.mean),
          text(row.forks.mean),
          text(row.steals.mean),
          text(row.attempts.mean),
          text(row.suspensions.mean),
          text(row.wakes.mean),
          std::to_string(row.peak_space),
          std::to_string(of.stack_depth * row.processors)};
}

void print_head(const sim_request& request, const lab::measures& of, const lab::cost_model& costs,
                output& out) {
  if (request.form == sim_form::csv) out.print("{}", report::to_csv({"", columns, {}}));
  if (request.form != sim_form::text) return;
  out.print("{}: T1 {}, Tinf {}, parallelism {:.1f}, S1 {}, {} threads\n", request.dag, of.work,
            of.span, of.parallelism(), of.stack_depth, of.threads);
  out.print("work-stealing with the costs of {}, an instruction takes {:g} ns, mean of {} seeds\n",
            request.costs, costs.instruction_ns, request.seeds);
  out.print("{:>8}{:>14}{:>9}{:>10}{:>10}{:>10}{:>10}{:>13}{:>14}{:>11}{:>12}\n", "P", "time, s",
            "+-95%", "speedup", "working", "overhead", "asleep", "steals", "attempts", "S",
            "S/(S1 P)");
}

void print(const sim_request& request, const lab::measures& of, const lab::cost_model& costs,
           const lab::timed_row& row, output& out) {
  if (request.form == sim_form::json) {
    out.print("{}\n", to_json(request, of, costs, row));
  } else if (request.form == sim_form::csv) {
    const auto with_head = report::to_csv({"", columns, {cells(of, costs, row)}});
    out.print("{}", with_head.substr(with_head.find('\n') + 1));
  } else {
    const auto share = [](const report::summary& s) {
      return fmt::format("{:.1f}%", 100 * s.mean);
    };
    out.print("{:>8}{:>14.6g}{:>9}{:>10.2f}{:>10}{:>10}{:>10}{:>13.0f}{:>14.0f}{:>11}{:>12.4f}\n",
              row.processors, row.seconds.mean, relative_error(row.seconds), row.speedup(of, costs),
              share(row.work_share), share(row.overhead_share), share(row.asleep_share),
              row.steals.mean, row.attempts.mean, row.peak_space,
              static_cast<double>(row.peak_space) /
                  (static_cast<double>(of.stack_depth) * row.processors));
  }
  out.flush();
}

struct time_unit {
  std::string_view name;
  double seconds;
};

// In which the shortest time is 1 or more, if there is one.
time_unit unit_of(const std::vector<lab::timed_row>& rows) {
  auto least = rows.front().seconds.mean;
  for (const auto& row : rows) least = std::min(least, row.seconds.mean);
  for (const time_unit each : {time_unit{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}})
    if (least >= each.seconds) return each;
  return {"ns", 1e-9};
}

named_cells named(const lab::measures& of, const lab::cost_model& costs, time_unit unit,
                  const lab::timed_row& row) {
  const auto mean = [](const report::summary& values) { return report::figure(values.mean); };
  const auto share = [](const report::summary& s) { return fmt::format("{:.1f}%", 100 * s.mean); };
  return {{"P", fmt::to_string(row.processors)},
          {fmt::format("time, {}", unit.name), report::figure(row.seconds.mean / unit.seconds)},
          {"+-95%", relative_error(row.seconds)},
          {"speedup", report::figure(row.speedup(of, costs))},
          {"working", share(row.work_share)},
          {"overhead", share(row.overhead_share)},
          {"asleep", share(row.asleep_share)},
          {"runs", fmt::to_string(row.seconds.count)},
          {"forks", mean(row.forks)},
          {"steals", mean(row.steals)},
          {"attempts", mean(row.attempts)},
          {"suspensions", mean(row.suspensions)},
          {"wake-ups", mean(row.wakes)},
          {"S", fmt::to_string(row.peak_space)},
          {"S1 P", fmt::to_string(of.stack_depth * row.processors)}};
}

report::chart speedup_chart(const sim_request& request, const lab::measures& of,
                            const lab::cost_model& costs, const std::vector<lab::timed_row>& rows) {
  report::chart result;
  result.title = request.dag + " with the costs of " + request.costs;
  result.x = {"processors", report::axis_scale::log2};
  result.y = {"speedup over a serial run", report::axis_scale::log2};
  report::series measured{"simulated", report::series_style::line};
  report::series bound{"T1/(T1/P + Tinf)", report::series_style::bound};
  report::series perfect{"P", report::series_style::bound};
  const auto work = static_cast<double>(of.work);
  for (const auto& row : rows) {
    const double p = row.processors;
    report::point at{p, row.speedup(of, costs)};
    if (row.seconds.count > 1) {
      const auto interval = report::mean_interval(row.seconds);
      at.low = at.y * row.seconds.mean / interval.high;
      at.high = at.y * row.seconds.mean / interval.low;
    }
    measured.points.push_back(at);
    bound.points.push_back({p, work / (work / p + static_cast<double>(of.span))});
    perfect.points.push_back({p, p});
  }
  result.all = {measured, bound, perfect};
  return result;
}

report::chart shares_chart(const std::vector<lab::timed_row>& rows) {
  report::chart result;
  result.title = "Where the processors' time goes";
  result.x = {"processors", report::axis_scale::log2};
  result.y = {"share, %", report::axis_scale::linear, 0, 100};
  report::series working{"working"}, overhead{"overhead"}, asleep{"asleep"},
      rest{"looking for work"};
  for (const auto& row : rows) {
    const double p = row.processors;
    const double work = 100 * row.work_share.mean, more = 100 * row.overhead_share.mean;
    const double sleep = 100 * row.asleep_share.mean;
    working.points.push_back({p, work});
    overhead.points.push_back({p, more});
    asleep.points.push_back({p, sleep});
    rest.points.push_back({p, 100 - work - more - sleep});
  }
  result.all = {working, overhead, asleep, rest};
  return result;
}

std::string make_page(const sim_request& request, const lab::measures& of,
                      const lab::cost_model& costs, const std::vector<lab::timed_row>& rows) {
  report::page page(request.dag + " with costs", request.command);
  page.paragraph(fmt::format(
      "Work stealing with the costs of {}, an instruction takes {:g} ns. T1 = {}, Tinf = {}, "
      "parallelism {:.1f}, S1 = {}, {} threads.",
      request.costs, costs.instruction_ns, of.work, of.span, of.parallelism(), of.stack_depth,
      of.threads));
  if (rows.size() > 1) {  // a curve needs two points
    page.add(speedup_chart(request, of, costs, rows),
             "Speedup over a serial run, which has neither forks nor anything else but "
             "instructions. The dashed lines are those of a machine where all else costs nothing.");
    page.add(shares_chart(rows),
             "Forks, steals, suspensions and wake-ups are the overhead; the rest of the time goes "
             "into looking for work.");
  }
  std::vector<named_cells> table;
  std::string data = "[";
  for (const auto& row : rows) {
    table.push_back(named(of, costs, unit_of(rows), row));
    data += (data.size() > 1 ? ",\n" : "") + to_json(request, of, costs, row);
  }
  return page.add(table_of(table))
      .paragraph("Means over the runs; S, the frames of living threads, is the largest of all.")
      .data(data + "]")
      .html();
}

}  // namespace

int simulate_with_costs(const sim_request& request, lab::computation& computation, output& out,
                        std::FILE* err) {
  lab::timed_settings settings;
  settings.seed = request.settings.seed;
  settings.costs = lab::costs_from_file(request.costs);
  if (request.instruction_ns > 0) settings.costs.instruction_ns = request.instruction_ns;
  const auto of = computation.measure();
  print_head(request, of, settings.costs, out);
  out.flush();
  progress line(err);
  std::vector<lab::timed_row> rows;
  for (const auto processors : request.processors) {
    settings.processors = processors;
    rows.push_back(
        lab::run_timed_row(computation, settings, request.seeds, [&](std::uint64_t seed) {
          line.show(fmt::format("{}: P = {}, seed {} of {}", request.dag, processors, seed,
                                request.seeds));
        }));
    line.clear();
    print(request, of, settings.costs, rows.back(), out);
  }
  if (!request.svg.empty())
    write_file(request.svg, report::to_svg(speedup_chart(request, of, settings.costs, rows)));
  if (!request.html.empty()) write_file(request.html, make_page(request, of, settings.costs, rows));
  return success;
}

}  // namespace heist::cli
