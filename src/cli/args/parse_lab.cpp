#include "cli/args/parse_lab.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

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

}  // namespace

struct lab_parser::texts {
  CLI::App* calibrate = nullptr;
  CLI::App* forecast = nullptr;
  std::string workers, rounds = "5", output;
  std::string repeat = "11", costs, processors = "1,2,16,64,256", seeds = "3";
  std::vector<std::string> programs;
  bool json = false, csv = false, quick = false;
};

lab_parser::lab_parser(CLI::App& root)
    : app_(*root.add_subcommand("lab", "measures the runtime's costs, and forecasts with them")),
      given_(std::make_unique<texts>()) {
  app_.allow_extras();
  app_.require_subcommand(0, 1);
  auto& g = *given_;
  // It may stand before or after the subcommand.
  const auto add_common = [&g](CLI::App& to, const char* json) {
    to.add_flag("--quick", g.quick, "small sizes, to see that it works");
    to.add_flag("--json", g.json, json);
  };
  add_common(app_, "JSON instead of tables");
  const auto add = [](CLI::App& to, const char* name, std::string& text, const std::string& help) {
    const auto initially = text.empty() ? "" : fmt::format(" [{}]", text);
    to.add_option(name, text, help + initially)
        ->take_last()
        ->type_name(help.starts_with("a file") ? "FILE" : "");
  };
  g.calibrate = app_.add_subcommand("calibrate", "what forks, steals and wake-ups cost here");
  g.calibrate->allow_extras();
  add(*g.calibrate, "--output", g.output, "a file for the costs as JSON");
  add(*g.calibrate, "--repeat", g.rounds, "rounds of measurements");
  add(*g.calibrate, "-P,--workers", g.workers,
      "threads at once, to see how much slower a busy machine is [see heist info]");
  add_common(*g.calibrate, "the costs as JSON instead of the table");

  g.forecast =
      app_.add_subcommand("forecast", "real runs beside simulated ones, and larger machines");
  g.forecast->allow_extras();
  add(*g.forecast, "--costs", g.costs, "a file that calibrate wrote [measured first]");
  g.forecast->add_option("--program", g.programs, "some of the programs below [all]")
      ->delimiter(',')
      ->type_name("");
  add(*g.forecast, "-P,--processors,--workers", g.processors,
      "a list; those that this machine has are run, the others forecast");
  add(*g.forecast, "--repeat", g.repeat, "real runs of each kind");
  add(*g.forecast, "--seeds", g.seeds, "simulated runs of each kind");
  add_common(*g.forecast, "an object for each row, on a line of its own");
  g.forecast->add_flag("--csv", g.csv, "a line for each row, with names above");
  g.forecast->footer(programs_help());
}

lab_parser::~lab_parser() = default;

bool lab_parser::is_given() const { return app_.parsed(); }

lab_request lab_parser::to_request() const {
  if (!app_.get_subcommands().empty()) refuse_extras(app_.remaining(), "lab");
  if (given_->calibrate->parsed()) return to_calibrate();
  if (given_->forecast->parsed()) return to_forecast();
  const auto extras = app_.remaining(true);
  if (extras.empty() || extras.front().starts_with('-'))
    throw usage_error("lab needs a subject: calibrate or forecast; see heist lab --help");
  throw usage_error(
      unknown("subject", extras.front(), {"calibrate", "forecast"}, "heist lab --help"));
}

calibrate_request lab_parser::to_calibrate() const {
  const auto& g = *given_;
  refuse_extras(g.calibrate->remaining(true), "lab calibrate");
  calibrate_request request;
  if (!g.workers.empty())
    request.workers = number("--workers", g.workers, 2, pool_config::max_workers);
  request.repeat = number("--repeat", g.rounds, 1, max_repeat);
  request.quick = g.quick;
  if (g.quick && g.calibrate->count("--repeat") == 0) request.repeat = 2;
  request.json = g.json;
  request.file = g.output;
  return request;
}

forecast_request lab_parser::to_forecast() const {
  const auto& g = *given_;
  refuse_extras(g.forecast->remaining(true), "lab forecast");
  if (g.json && g.csv) throw usage_error("lab: --json and --csv exclude each other");
  forecast_request request;
  request.costs = g.costs;
  request.form = g.json ? report::form::json : g.csv ? report::form::csv : report::form::text;
  request.processors = number_list("lab", "-P", g.processors, lab::max_timed_processors);
  std::sort(request.processors.begin(), request.processors.end());
  request.processors.erase(std::unique(request.processors.begin(), request.processors.end()),
                           request.processors.end());
  request.repeat = number("--repeat", g.repeat, 1, max_repeat);
  request.seeds = number("--seeds", g.seeds, 1, max_seeds);
  request.quick = g.quick;
  if (g.quick && g.forecast->count("--repeat") == 0) request.repeat = 2;
  std::vector<std::string_view> names;
  for (const auto& each : calibration::lab_programs()) {
    names.push_back(each.name);
    const bool is_named =
        std::find(g.programs.begin(), g.programs.end(), each.name) != g.programs.end();
    const bool has_size = !g.quick || !each.quick.empty();
    if (is_named || (g.programs.empty() && has_size)) request.programs.push_back(&each);
  }
  for (const auto& each : g.programs)
    if (std::find(names.begin(), names.end(), each) == names.end())
      throw usage_error(unknown("program", each, names, "heist lab forecast --help"));
  return request;
}

}  // namespace heist::cli
