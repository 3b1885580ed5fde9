// CLI11 is a large header, so only the parsers include it.
#include "cli/args/parse.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <heist/config.hpp>
#include <heist/error.hpp>
#include <heist/version.hpp>

#include "cli/args/bound_options.hpp"
#include "cli/args/parse_bench.hpp"
#include "cli/args/parse_lab.hpp"
#include "cli/args/parse_report.hpp"
#include "cli/args/parse_run.hpp"
#include "cli/args/parse_sim.hpp"
#include "cli/args/parse_tbb.hpp"
#include "cli/args/parse_theory.hpp"
#include "cli/args/parse_top.hpp"
#include "cli/args/suggest.hpp"
#include "cli/describe/description.hpp"

namespace heist::cli {

namespace {

constexpr const char* footer =
    "Environment: HEIST_WORKERS, HEIST_STACK_SIZE, HEIST_STATS=1, HEIST_STATS_SIGNAL=USR1,\n"
    "HEIST_SERIAL=1, HEIST_BARRIER=signal, HEIST_CHECK=1, HEIST_PROFILE=workspan, "
    "HEIST_MONITOR=1,\n"
    "HEIST_TRACE=FILE.json, HEIST_TRACE_EVENTS.\n"
    "Exit codes: 0; 1 the environment refused a file, memory or threads; 2 usage; 3 a result "
    "differs\n"
    "from the serial one; 4 bench --check; 130 interrupted; 141 the reader of the output is gone,\n"
    "as of '| head'.";

// Turns CLI11's messages, as "--n: 1 required N missing", into ours of one line.
usage_error translate(const CLI::Error& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return usage_error(text.substr(0, text.find(':')) + " needs a value");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return usage_error(text);
}

std::vector<std::string_view> names_of(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const auto* each : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!each->get_group().empty()) names.push_back(each->get_name());  // none that is hidden
  return names;
}

// "help run fib" is "run fib --help"; the names that follow help are checked.
std::vector<const char*> without_help(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<const char*> result = {"heist"};
  const auto* at = &app;
  for (int i = 2; i < argc; ++i) {
    const std::string name = argv[i];
    if (name.starts_with('-')) refuse_extras({name}, "help");
    const auto names = names_of(*at);
    const auto& last = at->get_name();
    if (names.empty()) throw usage_error(fmt::format("{} has no help on '{}'", last, name));
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const auto known = at == &app ? "heist" : "heist " + last;
      throw usage_error(unknown("command", name, names, known + " --help"));
    }
    at = at->get_subcommand(name);
    result.push_back(argv[i]);
  }
  result.push_back("--help");
  return result;
}

// Refuses arguments that no command took: they stand before the command, or there is none.
void refuse_before_command(const CLI::App& app) {
  auto extras = app.remaining();
  std::erase(extras, "--");
  if (extras.empty()) return;
  if (extras.front().starts_with('-'))
    throw usage_error(fmt::format("unknown option {}: see heist --help", extras.front()));
  throw usage_error(unknown("command", extras.front(), names_of(app), "heist --help"));
}

bool asks_for_help(int argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]) != "help") return false;
  return std::none_of(argv + 2, argv + argc,
                      [](std::string_view each) { return each == "--help" || each == "-h"; });
}

CLI::App* add_explain(CLI::App& app, explain_request& explain) {
  auto* const added = app.add_subcommand(
      "explain", "what a counter, an idle reason or a finding means, and what to do about it");
  added->add_option("NAME", explain.name, "of a field or a column [all, a line each]");
  return added;
}

// For the suites: its process isn't started by hand.
CLI::App* add_side(CLI::App& app, side_request& side) {
  auto* const added = app.add_subcommand("side")->group("");
  added->add_option("program", side.program)->required();
  added->add_option("workers", side.workers)->required();
  added->add_option("preset", side.preset)->required();
  added->add_option("settings", side.settings);
  return added;
}

// For the build, which makes the man page and the completions with it.
CLI::App* add_describe(CLI::App& app, std::string& form) {
  auto* const added = app.add_subcommand("describe")->group("");
  added->add_option("form", form)->required();
  return added;
}

// Commands whose arguments are not this parser's, for the help and the completions.
void add_texts_of_others(CLI::App& app) {
  auto* const cluster = app.add_subcommand(
      "cluster", "a program on many machines, over MPI: mpirun -n 4 heist cluster uts");
  cluster->footer(
      "Where heist was built with MPI, heist cluster --help lists programs and options.");
  auto* const tbb = app.add_subcommand(
      "tbb", "a program that was linked with oneTBB, on heist's workers: tbb PROGRAM");
  tbb->add_option("-P,--workers", "how many workers the pool has (HEIST_WORKERS)")->type_name("N");
  tbb->add_flag("--stats")->description(
      "at the end, what the arenas and the pool did (HEIST_STATS=1)");
  app.add_subcommand("help", "this text, or that of a command: help run fib");
}

std::string line_of(int argc, const char* const* argv) {
  std::string line = "heist";
  for (int i = 1; i < argc; ++i) line += " " + std::string(argv[i]);
  return line;
}

// The text that was asked for instead of a command: the help, or the version.
std::optional<text_request> parse_into(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return text_request{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return text_request{std::string(version.what()) + '\n'};
  } catch (const CLI::Error& error) {
    throw translate(error);
  }
  return std::nullopt;
}

}  // namespace

any_request parse(int argc, const char* const* argv) {
  if (argc > 1 && std::string_view(argv[1]) == "cluster")
    return cluster_request{std::vector<std::string>(argv + 2, argv + argc)};
  if (argc > 1 && std::string_view(argv[1]) == "tbb") return parse_tbb(argc - 2, argv + 2);
  CLI::App app("heist runs fork-join programs on a work-stealing runtime.", "heist");
  app.footer(footer);
  app.set_version_flag("--version", "heist " HEIST_VERSION_STRING);
  app.allow_extras();
  app.require_subcommand(0, 1);
  run_parser run(app);
  bench_parser bench(app);
  sim_parser sim(app);
  theory_parser theory(app);
  lab_parser lab(app);
  report_parser report(app);
  top_parser top(app);

  list_request list;
  auto* list_app = app.add_subcommand("list", "the workloads, and what each is there for");
  list_app->add_flag("--json", list.json, "with their options, an object a line");
  presets_request presets;
  auto* presets_app =
      app.add_subcommand("presets", "the schedulers of the literature, for run --preset");
  presets_app->add_flag("--json", presets.json, "an object a line");

  explain_request explain;
  auto* explain_app = add_explain(app, explain);
  side_request side;
  const auto* side_app = add_side(app, side);
  std::string form;
  const auto* describe_app = add_describe(app, form);
  info_request info;
  auto* info_app = app.add_subcommand("info", "what the runtime makes of this machine");
  info_app->add_flag("--json", info.json, "as an object");

  add_texts_of_others(app);
  if (asks_for_help(argc, argv)) {
    const auto asked = without_help(app, argc, argv);
    return parse(static_cast<int>(asked.size()), asked.data());
  }

  if (auto text = parse_into(app, argc, argv)) return *text;
  refuse_before_command(app);
  const auto line = line_of(argc, argv);
  if (run.is_given()) {
    run_request request = run.to_request();
    request.command = line;
    return request;
  }
  if (bench.is_given()) return bench.to_request(line);
  if (sim.is_given()) return sim.to_request(line);
  if (theory.is_given()) return theory.to_request(line);
  if (lab.is_given()) return lab.to_request();
  if (report.is_given()) return report.to_request();
  if (top.is_given()) return top.to_request();
  for (const auto* command : {list_app, presets_app, explain_app, info_app})
    if (command->parsed()) refuse_extras(extras_of(app), command->get_name());
  if (list_app->parsed()) return list;
  if (presets_app->parsed()) return presets;
  if (explain_app->parsed()) return explain;
  if (side_app->parsed()) return side;
  if (describe_app->parsed()) return text_request{describe_as(form, app)};
  if (info_app->parsed()) return info;
  throw usage_error("no command: see heist --help");
}

}  // namespace heist::cli
