// What a study of granularity found, as rows, charts and a page.
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "lab/experiments/granularity_study.hpp"
#include "report/markup.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace heist::lab {

namespace {

// T1/P, which no schedule can beat.
double share_of_work(const granularity_setup& setup) {
  return static_cast<double>(setup.work) / setup.processors;
}

std::string half_width(const report::summary& values) {
  if (values.count < 2) return "-";
  const auto mean = report::mean_interval(values);
  return fmt::format("{:.0f}", (mean.high - mean.low) / 2);
}

std::string with_interval(std::string_view name, const report::summary& values) {
  auto text = fmt::format("\"{}\": {{\"mean\": {}", name, report::json_number(values.mean));
  if (values.count > 1) {
    const auto mean = report::mean_interval(values);
    text += fmt::format(", \"low_95\": {}, \"high_95\": {}", report::json_number(mean.low),
                        report::json_number(mean.high));
  }
  return text + fmt::format(", \"least\": {}, \"greatest\": {}}}",
                            report::json_number(values.least),
                            report::json_number(values.greatest));
}

const report::summary& values_of(const granularity_row& row, granularity_curve what) {
  switch (what) {
    case granularity_curve::time:
      break;
    case granularity_curve::balance:
      return row.balance;
    case granularity_curve::overhead:
      return row.overhead;
    case granularity_curve::tail:
      return row.tail;
  }
  return row.time;
}

}  // namespace

std::vector<std::string> granularity_columns() {
  return {"scheduler", "tasks/P",  "tasks", "T",    "T +-95%",   "T P/T1",
          "balance",   "overhead", "idle",  "tail", "tail +-95%"};
}

std::vector<std::string> granularity_cells(const granularity_setup& setup,
                                           const granularity_row& row) {
  return {row.name(),
          fmt::to_string(row.factor),
          fmt::format("{:.0f}", row.tasks.mean),
          fmt::format("{:.0f}", row.time.mean),
          half_width(row.time),
          fmt::format("{:.4f}", row.time.mean / share_of_work(setup)),
          fmt::format("{:.4f}", row.balance.mean),
          fmt::format("{:.4f}", row.overhead.mean),
          fmt::format("{:.4f}", row.idle.mean),
          fmt::format("{:.0f}", row.tail.mean),
          half_width(row.tail)};
}

std::string granularity_json(const granularity_setup& setup, const granularity_row& row) {
  return fmt::format(
      "{{\"scheduler\": {}, \"costs\": {}, \"queue\": {}, \"queue_cost\": {}, \"P\": {}, \"work\": "
      "{}, \"tasks_per_processor\": {}, \"tasks\": {}, \"runs\": {}, \"seed\": {}, {}, {}, {}, {}, "
      "{}}}",
      report::json_text(row.name()), report::json_text(to_string(setup.costs)),
      report::json_text(setup.queue == queue_kind::shared ? "shared" : "exclusive"),
      setup.queue_cost, setup.processors, setup.work, row.factor,
      report::json_number(row.tasks.mean), row.time.count, setup.seed,
      with_interval("steps", row.time), with_interval("balance", row.balance),
      with_interval("overhead", row.overhead), with_interval("idle", row.idle),
      with_interval("tail", row.tail));
}

std::string_view to_string(granularity_curve what) {
  switch (what) {
    case granularity_curve::time:
      return "time";
    case granularity_curve::balance:
      return "balance";
    case granularity_curve::overhead:
      return "overhead";
    case granularity_curve::tail:
      return "tail";
  }
  return {};
}

report::chart granularity_chart(const granularity_setup& setup,
                                const std::vector<granularity_row>& rows, granularity_curve what) {
  report::chart result;
  const auto title = [&](std::string_view quantity) {
    return fmt::format("{}: {} costs, P = {}", quantity, to_string(setup.costs), setup.processors);
  };
  result.x = {"tasks for each processor", report::axis_scale::log2};
  double unit = 1;
  switch (what) {
    case granularity_curve::time:
      result.title = title("Time");
      result.y = {.label = "T over T1/P"};
      unit = share_of_work(setup);
      break;
    case granularity_curve::balance:
      result.title = title("Balance");
      result.y = {.label = "mean over greatest of the processors' work", .least = 0, .greatest = 1};
      break;
    case granularity_curve::overhead:
      result.title = title("Overhead");
      result.y = {.label = "share of the processors' steps", .least = 0};
      break;
    case granularity_curve::tail:
      result.title = title("Tail");
      result.y = {.label = "time with an idle processor, over T1/P", .least = 0};
      unit = share_of_work(setup);
      break;
  }
  for (const auto& row : rows) {
    const auto name = row.name();
    auto found = std::find_if(result.all.begin(), result.all.end(),
                              [&](const report::series& each) { return each.name == name; });
    if (found == result.all.end())
      found = result.all.insert(found, report::series{name, report::series_style::line});
    const auto& values = values_of(row, what);
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

std::string granularity_page(const granularity_setup& setup,
                             const std::vector<granularity_row>& rows, const std::string& command) {
  report::page result("Granularity: how finely to cut a loop", command);
  result.paragraph(fmt::format(
      "A loop of {} steps in all, its iterations' costs {}, runs on {} processors, cut into more "
      "and more tasks. A take from a queue costs {} steps{}; so does a steal attempt.",
      setup.work, to_string(setup.costs), setup.processors, setup.queue_cost,
      setup.queue == queue_kind::exclusive ? ", one at a time" : " of its processor"));
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
  report::table all{"", granularity_columns(), {}};
  std::string data = "[";
  for (const auto& row : rows) {
    all.rows.push_back(granularity_cells(setup, row));
    data += (data.size() > 1 ? ",\n " : "") + granularity_json(setup, row);
  }
  return result.add(all).data(data + "]").html();
}

}  // namespace heist::lab
