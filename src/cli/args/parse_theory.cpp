#include "cli/args/parse_theory.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <heist/error.hpp>

#include "cli/args/numbers.hpp"
#include "cli/args/parse_granularity.hpp"
#include "cli/args/suggest.hpp"
#include "lab/catalog/computation.hpp"
#include "lab/catalog/dag_spec.hpp"

namespace heist::cli {

namespace {

constexpr std::uint64_t max_games = 10'000'000;
constexpr std::uint32_t max_bound_processors = 1'000'000'000;
constexpr std::uint32_t max_processes = 100'000;

std::uint64_t number(std::string_view option, std::string_view text, std::uint64_t least,
                     std::uint64_t greatest) {
  return whole_number("theory", option, text, least, greatest);
}

template <class Texts>
theory_task task_of(const Texts& g, const std::string& command) {
  if (g.json && g.csv) throw usage_error("theory: --json and --csv exclude each other");
  return {g.json  ? report::form::json
          : g.csv ? report::form::csv
                  : report::form::text,
          g.svg, g.html, command};
}

std::string computations_help() {
  std::string text = "\nComputations:\n";
  const auto add = [&](const auto& each) {
    text += fmt::format("  {:<31}{}\n", lab::usage(each.name, each.arguments), each.summary);
  };
  for (const auto& each : lab::dag_specs()) add(each);
  text += fmt::format("  {:<31}{}\n", "file:PATH", "a DAG from a JSON file; see docs/lab.md");
  for (const auto& each : lab::computations())
    if (!lab::is_dag_spec(each.name)) add(each);
  return text;
}

}  // namespace

struct theory_parser::texts {
  CLI::App* recycling = nullptr;
  CLI::App* bounds = nullptr;
  CLI::App* adversaries = nullptr;
  CLI::App* granularity = nullptr;
  std::string balls = "64", bound_processors = "1..1024", tosses = "100000", seeds = "1000";
  std::string seed = "1", adversary = "all";
  std::string dag, svg, html, dot, save;
  std::string processes = "16", given, runs = "10", kernel;
  granularity_texts loop;
  bool json = false, csv = false;
};

theory_parser::theory_parser(CLI::App& root)
    : app_(*root.add_subcommand("theory", "the theorems' bounds and games, computed")),
      given_(std::make_unique<texts>()) {
  app_.allow_extras();
  app_.require_subcommand(0, 1);
  auto& g = *given_;
  const auto add = [](CLI::App& to, const char* name, std::string& text, const std::string& help) {
    const auto initially = text.empty() ? "" : fmt::format(" [{}]", text);
    to.add_option(name, text, help + initially)
        ->take_last()
        ->type_name(help.starts_with("a file") ? "FILE" : "");
  };
  const auto add_forms = [&](CLI::App& to, const char* picture) {
    to.add_flag("--json", g.json, "an object for each row, on a line of its own");
    to.add_flag("--csv", g.csv, "a line for each row, with names above");
    add(to, "--html", g.html, "a file for a page with charts, table and data");
    add(to, "--svg", g.svg, picture);
  };
  add_forms(app_, "a file for the picture");  // before or after the subcommand

  g.recycling = app_.add_subcommand("recycling", "the balls-and-bins game behind Lemma 6");
  g.recycling->allow_extras();
  add(*g.recycling, "-P,--processors,--workers", g.balls, "balls, and bins");
  add(*g.recycling, "-M,--tosses", g.tosses, "tosses of a game");
  add(*g.recycling, "--seeds", g.seeds, "games for each adversary");
  add(*g.recycling, "--seed", g.seed, "what the games are made from");
  add(*g.recycling, "--adversary", g.adversary,
      "eager, hoarding, one-bin, random, searched, or all");
  add_forms(*g.recycling, "a file for the chart of D");

  g.bounds = app_.add_subcommand("bounds", "T1, Tinf, S1 of a computation, and what follows");
  g.bounds->allow_extras();
  add(*g.bounds, "--dag", g.dag, "the computation, as fib:25; see below");
  add(*g.bounds, "-P,--processors,--workers", g.bound_processors,
      "a list, as 1,2,12; 1..64 doubles");
  add_forms(*g.bounds, "a file for a picture of the DAG");
  add(*g.bounds, "--dot", g.dot, "a file for the DAG as a graph for Graphviz");
  add(*g.bounds, "--save", g.save, "a file for the DAG as JSON");
  g.bounds->footer(computations_help());

  g.adversaries =
      app_.add_subcommand("adversaries", "kernels that are adversaries, against yields");
  g.adversaries->allow_extras();
  add(*g.adversaries, "--dag", g.dag, "the computation, as random-general:5000; see below");
  add(*g.adversaries, "-P,--processes,--workers", g.processes,
      "processes: a list, as 4,16; 4..64 doubles");
  add(*g.adversaries, "--given", g.given, "processors that the kernel gives them [half of P]");
  add(*g.adversaries, "--kernel", g.kernel, "one kernel only, as idle-only:4 [all that there are]");
  add(*g.adversaries, "--seeds", g.runs, "runs for each row");
  add(*g.adversaries, "--seed", g.seed, "the first seed");
  add_forms(*g.adversaries, "a file for the chart");
  g.adversaries->footer(computations_help());

  g.granularity = app_.add_subcommand("granularity", "how finely to cut a loop into tasks");
  g.granularity->allow_extras();
  for (const auto& each : granularity_options())
    add(*g.granularity, each.name, g.loop.*each.text, each.help);
  add_forms(*g.granularity, "a file for the chart");
  g.granularity->footer(granularity_help());
}

theory_parser::~theory_parser() = default;

bool theory_parser::is_given() const { return app_.parsed(); }

theory_request theory_parser::to_request(const std::string& command) const {
  if (!app_.get_subcommands().empty()) refuse_extras(app_.remaining(), "theory");
  if (given_->recycling->parsed()) return to_recycling(command);
  if (given_->bounds->parsed()) return to_bounds(command);
  if (given_->adversaries->parsed()) return to_kernel_study(command);
  if (given_->granularity->parsed()) return to_granularity(command);
  const auto extras = app_.remaining(true);
  if (extras.empty() || extras.front().starts_with('-'))
    throw usage_error(
        "theory needs a subject: recycling, bounds, adversaries or granularity; see heist theory "
        "--help");
  throw usage_error(unknown("subject", extras.front(),
                            {"recycling", "bounds", "adversaries", "granularity"},
                            "heist theory --help"));
}

recycling_request theory_parser::to_recycling(const std::string& command) const {
  const auto& g = *given_;
  refuse_extras(g.recycling->remaining(true), "theory recycling");
  recycling_request request;
  request.setup = {.processors = number("-P", g.balls, 1, lab::max_balls),
                   .tosses = number("-M", g.tosses, 1, lab::max_tosses),
                   .games = number("--seeds", g.seeds, 1, max_games),
                   .seed = number("--seed", g.seed, 0, UINT64_MAX)};
  std::vector<std::string_view> names = {"all"};
  for (const auto each : lab::all_adversaries) {
    names.push_back(to_string(each));
    if (g.adversary == "all" || g.adversary == to_string(each)) request.adversaries.push_back(each);
  }
  if (request.adversaries.empty())
    throw usage_error(unknown("adversary", g.adversary, names, "heist theory recycling --help"));
  static_cast<theory_task&>(request) = task_of(g, command);
  return request;
}

bounds_request theory_parser::to_bounds(const std::string& command) const {
  const auto& g = *given_;
  refuse_extras(g.bounds->remaining(true), "theory bounds");
  if (g.dag.empty()) throw usage_error("bounds needs a computation: --dag, as --dag figure1");
  return {task_of(g, command), g.dag,
          number_list("theory", "-P", g.bound_processors, max_bound_processors), g.dot, g.save};
}

kernel_study_request theory_parser::to_kernel_study(const std::string& command) const {
  const auto& g = *given_;
  refuse_extras(g.adversaries->remaining(true), "theory adversaries");
  if (g.dag.empty())
    throw usage_error("adversaries needs a computation: --dag, as --dag random-general:5000");
  kernel_study_request request;
  request.setup.seeds = number("--seeds", g.runs, 1, max_games);
  request.setup.seed = number("--seed", g.seed, 0, UINT64_MAX - max_games);
  request.dag = g.dag;
  request.processes = number_list("theory", "-P", g.processes, max_processes);
  const auto least = *std::min_element(request.processes.begin(), request.processes.end());
  if (!g.given.empty())
    request.given = static_cast<std::uint32_t>(number("--given", g.given, 1, least));
  if (!g.given.empty() && !g.kernel.empty())
    throw usage_error(
        "theory: --given doesn't go with --kernel, whose word says how many it gives");
  request.kernel = g.kernel;
  static_cast<theory_task&>(request) = task_of(g, command);
  return request;
}

granularity_request theory_parser::to_granularity(const std::string& command) const {
  const auto& g = *given_;
  refuse_extras(g.granularity->remaining(true), "theory granularity");
  if (g.svg.empty() && g.loop.curve != granularity_texts().curve)
    throw usage_error("granularity: --curve goes with --svg");
  auto request = cli::to_request(g.loop);
  static_cast<theory_task&>(request) = task_of(g, command);
  return request;
}

}  // namespace heist::cli
