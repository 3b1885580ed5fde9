#include "cli/theory/theory_granularity.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cli/theory/theory.hpp"
#include "report/page.hpp"

namespace heist::cli {

namespace {

using report::value;

constexpr granularity_curve all_curves[] = {granularity_curve::time, granularity_curve::balance,
                                            granularity_curve::overhead, granularity_curve::tail};

// T1/P, which no schedule can beat.
double share_of_work(const lab::granularity_setup& setup) {
  return static_cast<double>(setup.work) / setup.processors;
}

struct curve_parts {
  std::string_view title;
  report::axis y;
  report::summary lab::granularity_row::*values;
  bool is_time = false;  // shown as a multiple of T1/P
};

curve_parts parts_of(granularity_curve what) {
  using row = lab::granularity_row;
  switch (what) {
    case granularity_curve::time:
      break;
    case granularity_curve::balance:
      return {"Balance",
              {.label = "mean over greatest of the processors' work", .least = 0, .greatest = 1},
              &row::balance};
    case granularity_curve::overhead:
      return {"Overhead", {.label = "share of the processors' steps", .least = 0}, &row::overhead};
    case granularity_curve::tail:
      return {"Tail",
              {.label = "time with an idle processor, over T1/P", .least = 0},
              &row::tail,
              true};
  }
  return {"Time", {.label = "T over T1/P"}, &row::time, true};
}

std::string granularity_page(const lab::granularity_setup& setup,
                             const std::vector<lab::granularity_row>& rows,
                             const std::string& command) {
  report::page result("Granularity: how finely to cut a loop", command);
  result.paragraph(fmt::format(
      "A loop of {} steps in all, its iterations' costs {}, runs on {} processors, cut into more "
      "and more tasks. A take from a queue costs {} steps{}; so does a steal attempt.",
      setup.work, to_string(setup.costs), setup.processors, setup.queue_cost,
      setup.queue == lab::queue_kind::exclusive ? ", one at a time" : " of its processor"));
  result.paragraph(
      "What to see: with few tasks the greatest of them decides, and processors wait for it at the "
      "end: balance is low, the tail long. With many the takes cost more than better balance "
      "brings, and a queue that serves one at a time becomes what all wait for. Between the two is "
      "a wide valley. Long tasks first makes the tail short.");
  for (const auto curve : all_curves) {
    const auto caption =
        curve == granularity_curve::overhead
            ? "Takes, steals and waiting for them, as long as there is a task to begin."
        : curve == granularity_curve::tail
            ? "From the first processor with nothing left to do, to the end."
            : "Means; the bars are 95% intervals.";
    result.add(granularity_chart(setup, rows, curve), caption);
  }
  const auto columns = granularity_columns(setup);
  const auto views = granularity_views();
  return result.add(columns.page_table(views.text, rows))
      .data(columns.json_array(views.json, rows, ",\n "))
      .html();
}

}  // namespace

report::columns<lab::granularity_row> granularity_columns(const lab::granularity_setup& setup) {
  using row = lab::granularity_row;
  constexpr report::number_format share{.digits = 4};
  return report::columns<row>(
      {
          {.key = "scheduler",
           .heading = "scheduler",
           .get = [](const row& r) { return value(r.name()); },
           .width = 22,
           .to = report::side::left},
          {"costs", "", [&](const row&) { return value(std::string(to_string(setup.costs))); }},
          {"queue", "",
           [&](const row&) {
             return value(
                 std::string(setup.queue == lab::queue_kind::shared ? "shared" : "exclusive"));
           }},
          {"queue_cost", "", [&](const row&) { return value(std::uint64_t{setup.queue_cost}); }},
          {"P", "", [&](const row&) { return value(std::uint64_t{setup.processors}); }},
          {"work", "", [&](const row&) { return value(setup.work); }},
          {"tasks_per_processor", "tasks/P",
           [](const row& r) { return value(std::uint64_t{r.factor}); }},
          {"tasks", "tasks", [](const row& r) { return value(r.tasks.mean); }},
          {"runs", "", [](const row& r) { return value(std::uint64_t{r.time.count}); }},
          {"seed", "", [&](const row&) { return value(setup.seed); }},
          {"steps", "T", [](const row& r) { return value(r.time); }},
          {"steps_half_width", "T +-95%", [](const row& r) { return half_width(r.time); }},
          {"over_share", "T P/T1",
           [&](const row& r) { return value(r.time.mean / share_of_work(setup)); }, 0, share},
          {"balance", "balance", [](const row& r) { return value(r.balance); }, 0, share},
          {"overhead", "overhead", [](const row& r) { return value(r.overhead); }, 0, share},
          {"idle", "idle", [](const row& r) { return value(r.idle); }, 0, share},
          {"tail", "tail", [](const row& r) { return value(r.tail); }},
          {"tail_half_width", "tail +-95%", [](const row& r) { return half_width(r.tail); }},
      },
      theory_style);
}

row_views granularity_views() {
  const report::view people = {"scheduler",
                               "tasks_per_processor",
                               "tasks",
                               "steps",
                               "steps_half_width",
                               "over_share",
                               "balance",
                               "overhead",
                               "idle",
                               "tail",
                               "tail_half_width"};
  return {.text = people,
          .csv = people,
          .json = {"scheduler", "costs", "queue", "queue_cost", "P", "work", "tasks_per_processor",
                   "tasks", "runs", "seed", "steps", "balance", "overhead", "idle", "tail"}};
}

report::chart granularity_chart(const lab::granularity_setup& setup,
                                const std::vector<lab::granularity_row>& rows,
                                granularity_curve what) {
  const auto parts = parts_of(what);
  report::chart result;
  result.title =
      fmt::format("{}: {} costs, P = {}", parts.title, to_string(setup.costs), setup.processors);
  result.x = {"tasks for each processor", report::axis_scale::log2};
  result.y = parts.y;
  const double unit = parts.is_time ? share_of_work(setup) : 1;
  for (const auto& row : rows) {
    const auto name = row.name();
    auto found = std::find_if(result.all.begin(), result.all.end(),
                              [&](const report::series& each) { return each.name == name; });
    if (found == result.all.end())
      found = result.all.insert(found, report::series{name, report::series_style::line});
    const auto& values = row.*parts.values;
    report::point at{static_cast<double>(row.factor), values.mean / unit};
    if (values.count > 1) {
      const auto mean = report::mean_interval(values);
      at.low = mean.low / unit;
      at.high = mean.high / unit;
    }
    found->points.push_back(at);
  }
  if (what == granularity_curve::time && !rows.empty())
    result.all.push_back({"T1/P",
                          report::series_style::bound,
                          {{static_cast<double>(rows.front().factor), 1},
                           {static_cast<double>(rows.back().factor), 1}}});
  return result;
}

int granularity(const granularity_request& request, output& out, std::FILE* err) {
  const auto& setup = request.setup;
  require_writable({request.svg, request.html});
  if (request.form == report::form::text)
    out.print("P = {}, T1 {}, {} costs; a take costs {} steps, {}; mean of {} seeds\n",
              setup.processors, setup.work, to_string(setup.costs), setup.queue_cost,
              setup.queue == lab::queue_kind::exclusive ? "one at a time" : "takes overlap",
              setup.seeds);
  const auto columns = granularity_columns(setup);
  row_output<lab::granularity_row> rows_out(out, request.form, columns, granularity_views());
  rows_out.print_head();
  progress line(err);
  std::vector<lab::granularity_row> rows;
  for (const auto& [scheduler, hint] : request.choices)
    for (const auto factor : request.factors) {
      line.show(fmt::format("{}: {} P tasks", to_string(scheduler), factor));
      rows.push_back(study_granularity(setup, scheduler, hint, factor));
      line.clear();
      rows_out.print(rows.back());
    }
  if (!request.svg.empty())
    write_file(request.svg, report::to_svg(granularity_chart(setup, rows, request.curve)));
  if (!request.html.empty())
    write_file(request.html, granularity_page(setup, rows, request.command));
  return success;
}

}  // namespace heist::cli
