#include "cli/lab/lab.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <heist/config.hpp>
#include <heist/error.hpp>

#include "calibration/programs.hpp"
#include "cli/args/numbers.hpp"
#include "cli/args/suggest.hpp"
#include "lab/engines/timed_run.hpp"

namespace heist::cli {

namespace {

unsigned number(std::string_view option, std::string_view text, unsigned least, unsigned greatest) {
  return static_cast<unsigned>(whole_number("lab", option, text, least, greatest));
}

std::string programs_help() {
  std::string text = "\nPrograms:\n";
  for (const auto& each : calibration::lab_programs())
    text += fmt::format("  {:<12}{:<22}{}\n", each.name, each.full, each.summary);
  return text;
}

constexpr unsigned max_repeat = 1000;
constexpr unsigned max_seeds = 1'000'000;

struct lab_parser {
  explicit lab_parser(arguments& lab);

  [[nodiscard]] lab_request to_request() const;
  [[nodiscard]] calibrate_request to_calibrate() const;
  [[nodiscard]] forecast_request to_forecast() const;

  arguments& own;
  arguments &calibrate, &forecast;
  std::string workers, rounds = "5", output;
  std::string repeat = "11", costs, processors = "1,2,16,64,256", seeds = "3";
  std::vector<std::string> programs;
  bool json = false, csv = false, quick = false;
};

lab_parser::lab_parser(arguments& lab)
    : own(lab),
      calibrate(own.add_command("calibrate", "what forks, steals and wake-ups cost here")),
      forecast(
          own.add_command("forecast", "real runs beside simulated ones, and larger machines")) {
  // It may stand before or after the subcommand.
  const auto add_common = [this](arguments& to, const char* json_help) {
    to.add({"--quick", &quick, "small sizes, to see that it works"});
    to.add({"--json", &json, json_help});
  };
  add_common(own, "JSON instead of tables");
  calibrate.add_text("--output", output, "a file for the costs as JSON");
  calibrate.add_text("--repeat", rounds, "rounds of measurements");
  calibrate.add_text("-P,--workers", workers,
                     "threads at once, to see how much slower a busy machine is [see heist info]");
  add_common(calibrate, "the costs as JSON instead of the table");

  forecast.add_text("--costs", costs, "a file that calibrate wrote [measured first]");
  forecast.add({.names = "--program",
                .to = &programs,
                .help = "some of the programs below [all]",
                .separator = ','});
  forecast.add_text("-P,--processors,--workers", processors,
                    "a list; those that this machine has are run, the others forecast");
  forecast.add_text("--repeat", repeat, "real runs of each kind");
  forecast.add_text("--seeds", seeds, "simulated runs of each kind");
  add_common(forecast, "an object for each row, on a line of its own");
  forecast.add({"--csv", &csv, "a line for each row, with names above"});
  forecast.set_footer(programs_help());
}

lab_request lab_parser::to_request() const {
  if (calibrate.is_given() || forecast.is_given()) refuse_extras(own.own_extras(), "lab");
  if (calibrate.is_given()) return to_calibrate();
  if (forecast.is_given()) return to_forecast();
  const auto extras = own.extras();
  if (extras.empty() || extras.front().starts_with('-'))
    throw usage_error("lab needs a subject: calibrate or forecast; see heist lab --help");
  throw usage_error(
      unknown("subject", extras.front(), {"calibrate", "forecast"}, "heist lab --help"));
}

calibrate_request lab_parser::to_calibrate() const {
  refuse_extras(calibrate.extras(), "lab calibrate");
  calibrate_request request;
  if (!workers.empty()) request.workers = number("--workers", workers, 2, pool_config::max_workers);
  request.repeat = number("--repeat", rounds, 1, max_repeat);
  request.quick = quick;
  if (quick && !calibrate.is_given("--repeat")) request.repeat = 2;
  request.json = json;
  request.file = output;
  return request;
}

forecast_request lab_parser::to_forecast() const {
  refuse_extras(forecast.extras(), "lab forecast");
  if (json && csv) throw usage_error("lab: --json and --csv exclude each other");
  forecast_request request;
  request.costs = costs;
  request.form = json ? report::form::json : csv ? report::form::csv : report::form::text;
  request.processors = number_list("lab", "-P", processors, lab::max_timed_processors);
  std::sort(request.processors.begin(), request.processors.end());
  request.processors.erase(std::unique(request.processors.begin(), request.processors.end()),
                           request.processors.end());
  request.repeat = number("--repeat", repeat, 1, max_repeat);
  request.seeds = number("--seeds", seeds, 1, max_seeds);
  request.quick = quick;
  if (quick && !forecast.is_given("--repeat")) request.repeat = 2;
  std::vector<std::string_view> names;
  for (const auto& each : calibration::lab_programs()) {
    names.push_back(each.name);
    const bool is_named = std::find(programs.begin(), programs.end(), each.name) != programs.end();
    const bool has_size = !quick || !each.quick.empty();
    if (is_named || (programs.empty() && has_size)) request.programs.push_back(&each);
  }
  for (const auto& each : programs)
    if (std::find(names.begin(), names.end(), each) == names.end())
      throw usage_error(unknown("program", each, names, "heist lab forecast --help"));
  return request;
}

}  // namespace

reader<lab_request> add_lab(arguments& own) {
  const auto parser = std::make_shared<lab_parser>(own);
  return [parser](const std::string&) { return parser->to_request(); };
}

}  // namespace heist::cli
