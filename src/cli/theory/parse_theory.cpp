#include "cli/theory/theory.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/args/numbers.hpp"
#include "cli/args/suggest.hpp"
#include "cli/theory/parse_granularity.hpp"
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

struct theory_parser {
  explicit theory_parser(arguments& program);

  [[nodiscard]] theory_request to_request(const std::string& command) const;
  [[nodiscard]] recycling_request to_recycling(const std::string& command) const;
  [[nodiscard]] bounds_request to_bounds(const std::string& command) const;
  [[nodiscard]] kernel_study_request to_kernel_study(const std::string& command) const;
  [[nodiscard]] granularity_request to_granularity(const std::string& command) const;

  arguments& own;
  arguments &recycling, &bounds, &adversaries, &granularity;
  std::string balls = "64", bound_processors = "1..1024", tosses = "100000", seeds = "1000";
  std::string seed = "1", adversary = "all";
  std::string dag, svg, html, dot, save, made;
  std::string processes = "16", given, runs = "10", kernel;
  granularity_texts loop;
  bool json = false, csv = false, schedules = false;
};

theory_parser::theory_parser(arguments& theory)
    : own(theory),
      recycling(own.add_command("recycling", "the balls-and-bins game behind Lemma 6")),
      bounds(own.add_command("bounds", "T1, Tinf, S1 of a computation, and what follows")),
      adversaries(own.add_command("adversaries", "kernels that are adversaries, against yields")),
      granularity(own.add_command("granularity", "how finely to cut a loop into tasks")) {
  const auto add_forms = [&](arguments& to, const char* picture) {
    to.add({"--json", &json, "an object for each row, on a line of its own"});
    to.add({"--csv", &csv, "a line for each row, with names above"});
    to.add_text("--html", html, "a file for a page with charts, table and data");
    to.add_text("--svg", svg, picture);
  };
  add_forms(own, "a file for the picture");  // before or after the subcommand

  recycling.add_text("-P,--processors,--workers", balls, "balls, and bins");
  recycling.add_text("-M,--tosses", tosses, "tosses of a game");
  recycling.add_text("--seeds", seeds, "games for each adversary");
  recycling.add_text("--seed", seed, "what the games are made from");
  recycling.add_text("--adversary", adversary,
                     "eager, hoarding, one-bin, random, searched, or all");
  add_forms(recycling, "a file for the chart of D");

  bounds.add_text("--dag", dag, "the computation, as fib:25; see below");
  bounds.add_text("-P,--processors,--workers", bound_processors,
                  "a list, as 1,2,12; 1..64 doubles");
  add_forms(bounds, "a file for a picture of the DAG");
  bounds.add_text("--make", made, "moves joins until the DAG is: strict, fully-strict [as it is]",
                  {"strict", "fully-strict"});
  bounds.add({"--schedules", &schedules,
              "of a small DAG: the shortest and the longest greedy schedule, by trying all"});
  bounds.add_text("--dot", dot, "a file for the DAG as a graph for Graphviz");
  bounds.add_text("--save", save, "a file for the DAG as JSON");
  bounds.set_footer(computations_help());

  adversaries.add_text("--dag", dag, "the computation, as random-general:5000; see below");
  adversaries.add_text("-P,--processes,--workers", processes,
                       "processes: a list, as 4,16; 4..64 doubles");
  adversaries.add_text("--given", given, "processors that the kernel gives them [half of P]");
  adversaries.add_text("--kernel", kernel, "one kernel only, as idle-only:4 [all that there are]");
  adversaries.add_text("--seeds", runs, "runs for each row");
  adversaries.add_text("--seed", seed, "the first seed");
  add_forms(adversaries, "a file for the chart");
  adversaries.set_footer(computations_help());

  for (const auto& each : granularity_options())
    granularity.add_text(each.name, loop.*each.text, each.help);
  add_forms(granularity, "a file for the chart");
  granularity.set_footer(granularity_help());
}

theory_request theory_parser::to_request(const std::string& command) const {
  const auto& all = own.commands();
  if (std::any_of(all.begin(), all.end(), [](const auto& each) { return each.is_given(); }))
    refuse_extras(own.own_extras(), "theory");
  if (recycling.is_given()) return to_recycling(command);
  if (bounds.is_given()) return to_bounds(command);
  if (adversaries.is_given()) return to_kernel_study(command);
  if (granularity.is_given()) return to_granularity(command);
  const auto extras = own.extras();
  if (extras.empty() || extras.front().starts_with('-'))
    throw usage_error(
        "theory needs a subject: recycling, bounds, adversaries or granularity; see heist theory "
        "--help");
  throw usage_error(unknown("subject", extras.front(),
                            {"recycling", "bounds", "adversaries", "granularity"},
                            "heist theory --help"));
}

recycling_request theory_parser::to_recycling(const std::string& command) const {
  refuse_extras(recycling.extras(), "theory recycling");
  recycling_request request;
  request.setup = {.processors = number("-P", balls, 1, lab::max_balls),
                   .tosses = number("-M", tosses, 1, lab::max_tosses),
                   .games = number("--seeds", seeds, 1, max_games),
                   .seed = number("--seed", seed, 0, UINT64_MAX)};
  std::vector<std::string_view> names = {"all"};
  for (const auto each : lab::all_adversaries) {
    names.push_back(to_string(each));
    if (adversary == "all" || adversary == to_string(each)) request.adversaries.push_back(each);
  }
  if (request.adversaries.empty())
    throw usage_error(unknown("adversary", adversary, names, "heist theory recycling --help"));
  static_cast<theory_task&>(request) = task_of(*this, command);
  return request;
}

bounds_request theory_parser::to_bounds(const std::string& command) const {
  refuse_extras(bounds.extras(), "theory bounds");
  if (dag.empty()) throw usage_error("bounds needs a computation: --dag, as --dag figure1");
  using enum lab::strictness;
  if (bounds.is_given("--make") && made != "strict" && made != "fully-strict")
    throw usage_error(fmt::format("theory: --make is one of strict, fully-strict, not '{}'", made));
  return {task_of(*this, command),
          dag,
          number_list("theory", "-P", bound_processors, max_bound_processors),
          dot,
          save,
          made.empty()       ? general
          : made == "strict" ? strict
                             : fully_strict,
          schedules};
}

kernel_study_request theory_parser::to_kernel_study(const std::string& command) const {
  refuse_extras(adversaries.extras(), "theory adversaries");
  if (dag.empty())
    throw usage_error("adversaries needs a computation: --dag, as --dag random-general:5000");
  kernel_study_request request;
  request.setup.seeds = number("--seeds", runs, 1, max_games);
  request.setup.seed = number("--seed", seed, 0, UINT64_MAX - max_games);
  request.dag = dag;
  request.processes = number_list("theory", "-P", processes, max_processes);
  const auto least = *std::min_element(request.processes.begin(), request.processes.end());
  if (!given.empty())
    request.given = static_cast<std::uint32_t>(number("--given", given, 1, least));
  if (!given.empty() && !kernel.empty())
    throw usage_error(
        "theory: --given doesn't go with --kernel, whose word says how many it gives");
  request.kernel = kernel;
  static_cast<theory_task&>(request) = task_of(*this, command);
  return request;
}

granularity_request theory_parser::to_granularity(const std::string& command) const {
  refuse_extras(granularity.extras(), "theory granularity");
  if (svg.empty() && granularity.is_given("--curve"))
    throw usage_error("granularity: --curve goes with --svg");
  auto request = cli::to_request(granularity, loop);
  static_cast<theory_task&>(request) = task_of(*this, command);
  return request;
}

}  // namespace

reader<theory_request> add_theory(arguments& own) {
  const auto parser = std::make_shared<theory_parser>(own);
  return [parser](const std::string& line) { return parser->to_request(line); };
}

}  // namespace heist::cli
