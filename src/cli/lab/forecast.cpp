// heist lab forecast: compares simulated times with real ones on this machine, and forecasts those
// of larger machines.
#include <algorithm>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "bench/rounds.hpp"
#include "calibration/costs.hpp"
#include "calibration/forecast.hpp"
#include "cli/cli.hpp"
#include "cli/lab/forecast_columns.hpp"
#include "cli/lab/lab.hpp"
#include "cli/progress.hpp"
#include "platform/machine_load.hpp"
#include "runtime/core/environment.hpp"

namespace heist::cli {

namespace {

using calibration::checked_row;
using calibration::forecast_row;

class forecast_printer {
 public:
  forecast_printer(const forecast_request& request, output& out)
      : request_(request),
        out_(out),
        checked_columns_(checked_columns()),
        forecast_columns_(forecast_columns()),
        checked_(out, request.form, checked_columns_, checked_views()),
        forecast_(out, request.form, forecast_columns_, forecast_views()) {}

  void print_heads(const lab::cost_model& costs) {
    if (is_text())
      out_.print("costs {}: fork {:.2f} ns{}, steal {:.0f} ns, resume {:.0f} ns, wake {:.0f} ns\n",
                 request_.costs.empty() ? "measured now" : "of " + request_.costs, costs.fork_ns,
                 request_.costs.empty() ? ", again in each round" : "", costs.steal_ns,
                 costs.suspend_ns, costs.wake_ns);
    checked_.print_head();
  }

  void print(const calibration::program_forecast& of) {
    for (const auto& row : of.checked) {
      checked_.print(row);
      is_missed_ = is_missed_ || !row.agrees();
      ++checks_;
      in_range_ += row.is_in_range() ? 1 : 0;
    }
    // The table's rows are printed after all the others.
    if (is_text())
      forecasts_.insert(forecasts_.end(), of.forecast.begin(), of.forecast.end());
    else
      for (const auto& row : of.forecast) forecast_.print(row);
  }

  void print_end(const calibration::forecaster& made_by) {
    if (!is_text()) return;
    if (!forecasts_.empty()) {
      out_.print("\n");
      forecast_.print_head();
    }
    for (const auto& row : forecasts_) forecast_.print(row);
    print_assumptions(made_by);
  }

 private:
  [[nodiscard]] bool is_text() const { return request_.form == report::form::text; }

  void print_assumptions(const calibration::forecaster& made_by) {
    out_.print(
        "\nreal times are medians of {} runs, simulated ones means of {} seeds; off: the median "
        "over "
        "rounds,\nwith the machine's speed in each; {}\n"
        "from low to high: with the lower quartiles of all costs and of the program's own speed, "
        "and "
        "with the\nupper ones; {} of {} real times lie within\n",
        request_.repeat, request_.seeds,
        is_missed_ ? "some are more than 15% off" : "all are within 15%", in_range_, checks_);
    if (request_.quick) out_.print("a quick run, whose figures mean little\n");
    if (!made_by.has_forecasts()) return;
    out_.print(
        "The forecast assumes that\n"
        "  {}\n"
        "  - each processor has the clock and the caches of one here, and is as much slower beside "
        "a busy\n"
        "    one as it is here (the column busy, with {} at work), however many there are\n"
        "  - nothing else runs on the machine\n"
        "  - memory is as near to all and keeps up with all: no limit of bandwidth\n"
        "  - data that moves with a stolen thread costs nothing\n"
        "  - a unit of work takes the same time in all parts of a program\n"
        "  - to suspend a frame takes as long as to resume it\n"
        "  - thieves ask any other processor with equal probability\n",
        made_by.costs().distances.size() < 2
            ? "- a steal costs the same at every distance: here there is one distance only"
            : "- steals cost what was measured for each distance, and beyond that what the "
              "farthest one costs",
        made_by.most_workers());
  }

  const forecast_request& request_;
  output& out_;
  report::columns<checked_row> checked_columns_;
  report::columns<forecast_row> forecast_columns_;
  row_output<checked_row> checked_;
  row_output<forecast_row> forecast_;
  bool is_missed_ = false;
  unsigned checks_ = 0, in_range_ = 0;
  std::vector<forecast_row> forecasts_;
};

calibration::cost_range costs_for(const forecast_request& request, progress& line) {
  if (!request.costs.empty())
    return {lab::costs_from_file(request.costs),
            lab::costs_from_file(request.costs, lab::lower_quartile),
            lab::costs_from_file(request.costs, lab::upper_quartile)};
  calibration::measure_settings settings;
  settings.workers = std::max(2u, bench::workers_of({}));
  settings.is_quick = request.quick;
  const auto costs = calibration::measure_costs(
      settings, [&](const std::string& what) { line.show("calibrate: " + what); });
  line.clear();
  return {costs.model(), costs.model(lab::lower_quartile), costs.model(lab::upper_quartile)};
}

}  // namespace

int run_lab(const forecast_request& request, output& out, std::FILE* err) {
  if (detail::serial_elision())
    throw usage_error("HEIST_SERIAL is set: no real run would be a parallel one");
  progress line(err);
  const platform::machine_load load;
  const auto costs = costs_for(request, line);
  calibration::forecast_settings settings;
  settings.processors = request.processors;
  settings.repeat = request.repeat;
  settings.seeds = request.seeds;
  settings.is_quick = request.quick;
  settings.measures_forks = request.costs.empty();
  try {
    calibration::forecaster study(settings, costs, [&](const std::string& what) {
      what.empty() ? line.clear() : line.show(what);
    });
    forecast_printer printer(request, out);
    printer.print_heads(costs.usual);
    for (const auto* program : request.programs) printer.print(study.study(*program));
    printer.print_end(study);
    if (const std::string busy = platform::words_about(load.of_others());
        !busy.empty() && request.form == report::form::text)
      out.print("{}\n", busy);
  } catch (const bench::wrong_result& wrong) {
    out.flush();
    fmt::print(err, "heist: {}\n", wrong.what());
    return result_differs;
  }
  return success;
}

}  // namespace heist::cli
