// CLI11 is a large header, so only the parsers include it. All values are taken as text and checked
// by option_values, so that a bad value gets the same message wherever it comes from.
#include "cli/args/parse.hpp"

#include <algorithm>
#include <deque>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <heist/config.hpp>
#include <heist/error.hpp>
#include <heist/version.hpp>

#include "cli/args/parse_lab.hpp"
#include "cli/args/parse_sim.hpp"
#include "cli/args/parse_theory.hpp"
#include "cli/args/suggest.hpp"

namespace heist::cli {

namespace {

using workloads::option_kind;
using workloads::option_spec;
using workloads::option_values;

constexpr const char* footer =
    "Environment: HEIST_WORKERS, HEIST_STACK_SIZE, HEIST_STATS=1, HEIST_STATS_SIGNAL=USR1,\n"
    "HEIST_SERIAL=1, HEIST_BARRIER=signal.\n"
    "Exit codes: 0; 1 the environment refused a file, memory or threads; 2 usage; 3 a result "
    "differs\n"
    "from the serial one; 130 interrupted; 141 the reader of the output is gone, as of '| head'.";

// CLI11's options that were made from specs, and the values that the arguments gave them.
class bound_options {
 public:
  void add(CLI::App& app, const std::vector<option_spec>& specs) {
    for (const auto& spec : specs) {
      if (spec.kind == option_kind::files) {
        app.add_option(spec.name, files_, spec.help);
        continue;
      }
      auto& one = given_.emplace_back(given{spec.name, {}, nullptr});
      auto help = spec.help;
      if (!spec.default_value.empty()) help += fmt::format(" [{}]", spec.default_value);
      // The lab's commands take both names too.
      const auto* const prefix = spec.name == "workers" ? "-P,--" : "--";
      one.option = app.add_option(prefix + spec.name, one.text, help);
      one.option->type_name(type_name(spec.kind));
      one.option->take_last();
    }
  }

  void copy_to(option_values& values) const {
    for (const auto& one : given_)
      if (one.option->count() > 0) values.set(one.name, one.text);
    for (const auto& file : files_) values.add_file(file);
  }

  // An empty result means that none was given.
  [[nodiscard]] std::string first_given() const {
    for (const auto& one : given_)
      if (one.option->count() > 0) return one.name;
    return {};
  }

 private:
  struct given {
    std::string name;
    std::string text;
    CLI::Option* option;
  };

  static const char* type_name(option_kind kind) {
    if (kind == option_kind::bytes) return "BYTES";
    return kind == option_kind::integer ? "N" : "NAME";
  }

  std::deque<given> given_;  // a deque: CLI11 keeps the addresses of the texts
  std::vector<std::string> files_;
};

// It has no default: where it is not given the pool decides.
option_spec pool_option(std::string name, std::string help, std::int64_t min, std::int64_t max) {
  return {std::move(name), std::move(help), option_kind::integer, "", min, max, {}};
}

// Takes one of an enumeration's names; the first one is the default.
template <class Kind, std::size_t N>
option_spec policy_option(std::string name, std::string help, const Kind (&all)[N]) {
  std::vector<std::string> names;
  for (const Kind k : all) names.emplace_back(to_string(k));
  std::string listed;
  for (const auto& n : names) listed += (listed.empty() ? ": " : ", ") + n;
  const std::string first = names.front();
  return workloads::choice_option(std::move(name), help + listed, first, std::move(names));
}
template <class Kind, std::size_t N>
Kind policy_of(const option_values& values, std::string_view name, const Kind (&all)[N]) {
  for (const Kind k : all)
    if (to_string(k) == values.text(name)) return k;
  return all[0];  // not reached: values holds one of the names
}

std::vector<option_spec> common_options() {
  return {pool_option("workers", "workers, P [see heist info]", 1, pool_config::max_workers),
          {"stack-size",
           "of each fiber's stack, as 512K or 16M [see heist info]",
           option_kind::bytes,
           "",
           pool_config::min_stack_size,
           pool_config::max_stack_size,
           {}},
          workloads::integer_option("repeat", "timed runs of each kind", 3, 1, 1000),
          policy_option("deque", "which deque holds the forks", all_deque_kinds),
          workloads::integer_option("steal-batch", "most jobs of a steal, with --deque multi_steal",
                                    2, 1, pool_config::max_steal_batch),
          policy_option("join", "what a join does that has to wait", all_join_kinds),
          policy_option("victim", "whom a worker without work asks", all_victim_kinds),
          policy_option("idle", "how far a worker without work goes", all_idle_kinds)};
}

// The arguments that no option took. CLI11 leaves "--", which ends the options, among them.
std::vector<std::string> extras_of(const CLI::App& app) {
  auto extras = app.remaining(true);
  std::erase(extras, "--");
  return extras;
}

class run_parser {
 public:
  explicit run_parser(CLI::App& root)
      : app_(*root.add_subcommand("run", "runs workloads, checks and times them")) {
    app_.allow_extras();
    app_.require_subcommand(0, 1);  // a second workload's name is a file, or one argument too many
    add_common(app_, common_);
    for (const auto* workload : workloads::all())
      add_choice({workload}, std::string(workload->name()), std::string(workload->summary()));
    add_choice(workloads::all(), "all", "every workload with its defaults, as a table");
  }

  [[nodiscard]] bool is_given() const { return app_.parsed(); }

  [[nodiscard]] run_request to_request() const {
    const auto given = std::find_if(choices_.begin(), choices_.end(),
                                    [](const choice& each) { return each.app->parsed(); });
    const auto extras = extras_of(app_);
    if (given == choices_.end()) refuse_workload(extras);
    const auto name = given->app->get_name();
    run_request request;
    request.all = given->workloads.size() > 1;
    request.json = json_;
    for (const auto* workload : given->workloads) {
      option_values values(workload->name(), workload->options());
      if (!request.all) given->options.copy_to(values);
      request.chosen.push_back({workload, std::move(values)});
    }
    refuse_extras(extras, "run " + name);
    option_values common("run", common_options());
    common_.copy_to(common);
    given->common.copy_to(common);
    if (common.is_given("steal-batch") &&
        common.text("deque") != to_string(deque_kind::multi_steal))
      throw usage_error("run: --steal-batch goes with --deque multi_steal");
    request.repeat = static_cast<unsigned>(common.integer("repeat"));
    request.pool = {.workers = static_cast<unsigned>(given_or_zero(common, "workers")),
                    .stack_size = given_or_zero(common, "stack-size"),
                    .deque = policy_of(common, "deque", all_deque_kinds),
                    .steal_batch = static_cast<unsigned>(common.integer("steal-batch")),
                    .join = policy_of(common, "join", all_join_kinds),
                    .victim = policy_of(common, "victim", all_victim_kinds),
                    .idle = policy_of(common, "idle", all_idle_kinds)};
    return request;
  }

 private:
  struct choice {
    std::vector<const workloads::workload*> workloads;
    CLI::App* app;
    bound_options options;
    bound_options common;
  };

  void add_choice(const std::vector<const workloads::workload*>& workloads, const std::string& name,
                  const std::string& summary) {
    auto& added = choices_.emplace_back();
    added.workloads = workloads;
    added.app = app_.add_subcommand(name, summary);
    added.app->allow_extras();
    if (workloads.size() == 1) added.options.add(*added.app, workloads.front()->options());
    add_common(*added.app, added.common);
  }

  // It may stand before or after the workload's name; the one after it wins.
  void add_common(CLI::App& app, bound_options& options) {
    options.add(app, common_options());
    app.add_flag("--json", json_, "one object for each workload, on a line of its own");
  }

  static std::size_t given_or_zero(const option_values& values, std::string_view name) {
    return values.text(name).empty() ? 0 : values.size(name);
  }

  [[noreturn]] static void refuse_workload(const std::vector<std::string>& extras) {
    if (extras.empty()) throw usage_error("run needs a workload: see heist list");
    if (extras.front().starts_with('-'))
      throw usage_error(
          fmt::format("run needs a workload before '{}': see heist run --help", extras.front()));
    std::vector<std::string_view> names = {"all"};
    for (const auto* workload : workloads::all()) names.push_back(workload->name());
    throw usage_error(unknown("workload", extras.front(), names, "heist list"));
  }

  CLI::App& app_;
  bound_options common_;
  std::deque<choice> choices_;  // a deque: CLI11 keeps the addresses of its elements
  bool json_ = false;
};

std::vector<option_spec> bench_common_options() {
  return {pool_option("workers", "workers, P [see heist info]", 1, pool_config::max_workers),
          pool_option("repeat", "rounds of measurements [5; quick: 2]", 1, 1000)};
}

class bench_parser {
 public:
  explicit bench_parser(CLI::App& root)
      : app_(*root.add_subcommand("bench", "measures heist, beside rivals and its own promises")) {
    app_.allow_extras();
    app_.require_subcommand(0, 1);
    add_common(app_, common_);
    list_ = app_.add_subcommand("list", "the benchmarks, a line each");
    list_->allow_extras();
    list_->add_flag("--json", json_, "with their options, an object a line");
    for (const auto& benchmark : bench::all()) {
      auto& added = choices_.emplace_back();
      added.benchmark = &benchmark;
      added.app = app_.add_subcommand(std::string(benchmark.name), std::string(benchmark.summary));
      added.app->allow_extras();
      added.options.add(*added.app, benchmark.options(bench::scale::full));
      add_common(*added.app, added.common);
    }
  }

  [[nodiscard]] bool is_given() const { return app_.parsed(); }

  [[nodiscard]] any_request to_request() const {
    const auto extras = extras_of(app_);
    if (list_->parsed()) {
      refuse_extras(extras, "bench list");
      const auto before = quick_ ? "quick" : common_.first_given();
      if (!before.empty()) refuse_extras({"--" + before}, "bench list");
      return bench_list_request{json_};
    }
    const auto given = std::find_if(choices_.begin(), choices_.end(),
                                    [](const choice& each) { return each.app->parsed(); });
    if (given == choices_.end()) refuse_benchmark(extras);
    const std::string name(given->benchmark->name);
    refuse_extras(extras, "bench " + name);
    const auto scale = quick_ ? bench::scale::quick : bench::scale::full;
    bench_request request{
        given->benchmark, option_values(name, given->benchmark->options(scale)), {}, quick_, json_};
    given->options.copy_to(request.values);
    option_values common("bench", bench_common_options());
    common_.copy_to(common);
    given->common.copy_to(common);
    if (!common.text("workers").empty())
      request.settings.workers = static_cast<unsigned>(common.integer("workers"));
    request.settings.repeat = quick_ ? 2 : 5;
    if (!common.text("repeat").empty())
      request.settings.repeat = static_cast<unsigned>(common.integer("repeat"));
    return request;
  }

 private:
  struct choice {
    const bench::benchmark* benchmark;
    CLI::App* app;
    bound_options options;
    bound_options common;
  };

  // It may stand before or after the benchmark's name; the one after it wins.
  void add_common(CLI::App& app, bound_options& options) {
    options.add(app, bench_common_options());
    app.add_flag("--quick", quick_, "small sizes, to see that it works");
    app.add_flag("--json", json_, "one object");
  }

  [[noreturn]] static void refuse_benchmark(const std::vector<std::string>& extras) {
    if (extras.empty()) throw usage_error("bench needs a benchmark: see heist bench list");
    if (extras.front().starts_with('-'))
      throw usage_error(
          fmt::format("bench needs a benchmark before '{}': see heist bench list", extras.front()));
    std::vector<std::string_view> names = {"list"};
    for (const auto& benchmark : bench::all()) names.push_back(benchmark.name);
    throw usage_error(unknown("benchmark", extras.front(), names, "heist bench list"));
  }

  CLI::App& app_;
  CLI::App* list_;
  bound_options common_;
  std::deque<choice> choices_;  // a deque: CLI11 keeps the addresses of its elements
  bool quick_ = false;
  bool json_ = false;
};

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
    names.push_back(each->get_name());
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

}  // namespace

any_request parse(int argc, const char* const* argv) {
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

  list_request list;
  auto* list_app = app.add_subcommand("list", "the workloads, a line each");
  list_app->add_flag("--json", list.json, "with their options, an object a line");

  info_request info;
  auto* info_app = app.add_subcommand("info", "what the runtime makes of this machine");
  info_app->add_flag("--json", info.json, "as an object");

  app.add_subcommand("help", "this text, or that of a command: help run fib");
  if (asks_for_help(argc, argv)) {
    const auto asked = without_help(app, argc, argv);
    return parse(static_cast<int>(asked.size()), asked.data());
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return text_request{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return text_request{std::string(version.what()) + '\n'};
  } catch (const CLI::Error& error) {
    throw translate(error);
  }
  refuse_before_command(app);
  if (run.is_given()) return run.to_request();
  if (bench.is_given()) return bench.to_request();
  std::string line = "heist";
  for (int i = 1; i < argc; ++i) line += " " + std::string(argv[i]);
  if (sim.is_given()) return sim.to_request(line);
  if (theory.is_given()) return theory.to_request(line);
  if (lab.is_given()) return lab.to_request();
  for (const auto* command : {list_app, info_app})
    if (command->parsed()) refuse_extras(extras_of(app), command->get_name());
  if (list_app->parsed()) return list;
  if (info_app->parsed()) return info;
  throw usage_error("no command: see heist --help");
}

}  // namespace heist::cli
