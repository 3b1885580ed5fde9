#include "cli/sim/sim_costs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cli/row_output.hpp"
#include "cli/sim/sim.hpp"
#include "lab/experiments/timed_study.hpp"
#include "report/chart.hpp"
#include "report/columns.hpp"
#include "report/page.hpp"

namespace heist::cli {

namespace {

using report::value;

struct time_unit {
  std::string_view name;
  double seconds;
};

// The largest unit in which the shortest time is at least 1; nanoseconds if there is none.
time_unit unit_of(const std::vector<lab::timed_row>& rows) {
  auto least = rows.front().seconds.mean;
  for (const auto& row : rows) least = std::min(least, row.seconds.mean);
  for (const time_unit each : {time_unit{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}})
    if (least >= each.seconds) return each;
  return {"ns", 1e-9};
}

// `unit` is that of the page's column "time"; the other formats have seconds. The arguments must
// outlive the columns.
report::columns<lab::timed_row> timed_columns(const timed_request& request, const lab::measures& of,
                                              const lab::cost_model& costs,
                                              time_unit unit = {"s", 1}) {
  using row = lab::timed_row;
  constexpr report::number_format percent{report::number_format::percent, 1};
  std::vector<report::column<row>> all = {
      {"dag", "", [&](const row&) { return value(request.dag); }},
      {"scheduler", "", [](const row&) { return value(std::string("work-stealing")); }},
      {"costs", "", [&](const row&) { return value(request.costs); }},
      {"instruction_ns", "", [&](const row&) { return value(costs.instruction_ns); }},
      {"first_seed", "", [&](const row&) { return value(request.first_seed); }},
      {"work", "", [&](const row&) { return value(std::uint64_t{of.work}); }},
      {"span", "", [&](const row&) { return value(std::uint64_t{of.span}); }},
      {"processors", "P", [](const row& r) { return value(std::uint64_t{r.processors}); }, 8},
      {"seeds", "runs", [](const row& r) { return value(std::uint64_t{r.seconds.count}); }},
      {"seconds",
       "time, s",
       [](const row& r) { return value(r.seconds); },
       14,
       {report::number_format::general, 6}},
      {"time", fmt::format("time, {}", unit.name),
       [unit](const row& r) { return value(r.seconds.mean / unit.seconds); }},
      {"seconds_low_95", "",
       [](const row& r) { return end_of_interval(r.seconds, &report::interval::low); }},
      {"seconds_high_95", "",
       [](const row& r) { return end_of_interval(r.seconds, &report::interval::high); }},
      {"error", "+-95%", [](const row& r) { return value(relative_error(r.seconds)); }, 9},
      {"speedup",
       "speedup",
       [&](const row& r) { return value(r.speedup(of, costs)); },
       10,
       {.digits = 2}},
      {"work_share", "working", [](const row& r) { return value(r.work_share); }, 10, percent},
      {"overhead_share", "overhead", [](const row& r) { return value(r.overhead_share); }, 10,
       percent},
      {"asleep_share", "asleep", [](const row& r) { return value(r.asleep_share); }, 10, percent},
      {"forks", "forks", [](const row& r) { return value(r.forks); }},
      {"steals", "steals", [](const row& r) { return value(r.steals); }, 13},
      {"attempts", "attempts", [](const row& r) { return value(r.attempts); }, 14},
      {"suspensions", "suspensions", [](const row& r) { return value(r.suspensions); }},
      {"wakes", "wake-ups", [](const row& r) { return value(r.wakes); }},
  };
  const auto space = space_columns<row>(of);
  all.insert(all.end(), space.begin(), space.end());
  return report::columns<row>(std::move(all));
}

row_views timed_views() {
  return {.text = {"processors", "seconds", "error", "speedup", "work_share", "overhead_share",
                   "asleep_share", "steals", "attempts", "peak_space", "space_share"},
          .csv = {"processors", "seeds", "seconds", "seconds_low_95", "seconds_high_95", "speedup",
                  "work_share", "overhead_share", "asleep_share", "forks", "steals", "attempts",
                  "suspensions", "wakes", "peak_space", "space_bound"},
          .json = {"dag",        "scheduler",  "costs",          "instruction_ns", "processors",
                   "seeds",      "first_seed", "work",           "span",           "seconds",
                   "speedup",    "work_share", "overhead_share", "asleep_share",   "forks",
                   "steals",     "attempts",   "suspensions",    "wakes",          "peak_space",
                   "space_bound"}};
}

const report::view& timed_page_view() {
  static const report::view view = {"processors", "time",           "error",        "speedup",
                                    "work_share", "overhead_share", "asleep_share", "seeds",
                                    "forks",      "steals",         "attempts",     "suspensions",
                                    "wakes",      "peak_space",     "space_bound"};
  return view;
}

void print_measures(const timed_request& request, const lab::measures& of,
                    const lab::cost_model& costs, output& out) {
  out.print("{}: T1 {}, Tinf {}, parallelism {:.1f}, S1 {}, {} threads\n", request.dag, of.work,
            of.span, of.parallelism(), of.stack_depth, of.threads);
  out.print("work-stealing with the costs of {}, an instruction takes {:g} ns, {}\n", request.costs,
            costs.instruction_ns, mean_of(request.seeds));
  for (const auto& each : costs.doubts) out.print("doubtful costs: {}\n", each);
}

report::chart speedup_chart(const timed_request& request, const lab::measures& of,
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

std::string make_page(const timed_request& request, const lab::measures& of,
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
  const auto columns = timed_columns(request, of, costs, unit_of(rows));
  return page.add(columns.page_table(timed_page_view(), rows))
      .paragraph("Means over the runs; S, the frames of living threads, is the largest of all.")
      .data(columns.json_array(timed_views().json, rows))
      .html();
}

}  // namespace

int simulate_with_costs(const timed_request& request, output& out, std::FILE* err) {
  const auto computation = lab::make_computation(request.dag);
  lab::timed_settings settings;
  settings.seed = request.first_seed;
  settings.costs = lab::costs_from_file(request.costs);
  for (const auto& each : request.scaled) computation->scale(each.region, each.factor);
  if (const auto* dag = computation->dag(); dag != nullptr && dag->is_in_ns())
    settings.costs.instruction_ns = 1;
  if (request.instruction_ns > 0) settings.costs.instruction_ns = request.instruction_ns;
  const auto of = computation->measure();
  const auto columns = timed_columns(request, of, settings.costs);
  row_output<lab::timed_row> rows_out(out, request.form, columns, timed_views());
  if (request.form == report::form::text) print_measures(request, of, settings.costs, out);
  rows_out.print_head();
  progress line(err);
  std::vector<lab::timed_row> rows;
  for (const auto processors : request.processors) {
    settings.processors = processors;
    rows.push_back(
        lab::run_timed_row(*computation, settings, request.seeds, [&](std::uint64_t seed) {
          line.show(fmt::format("{}: P = {}, seed {} of {}", request.dag, processors, seed,
                                request.seeds));
        }));
    line.clear();
    rows_out.print(rows.back());
  }
  if (!request.svg.empty())
    write_file(request.svg, report::to_svg(speedup_chart(request, of, settings.costs, rows)));
  if (!request.html.empty()) write_file(request.html, make_page(request, of, settings.costs, rows));
  return success;
}

}  // namespace heist::cli
