#include "cli/run/run.hpp"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include <heist/config.hpp>
#include <heist/error.hpp>
#include <heist/presets.hpp>

#include "cli/args/bound_options.hpp"
#include "cli/args/numbers.hpp"
#include "cli/args/suggest.hpp"

namespace heist::cli {

using workloads::option_kind;
using workloads::option_spec;
using workloads::option_values;

namespace {

// Takes one of an enumeration's names. Without it the preset decides.
template <class Kind, std::size_t N>
option_spec policy_option(std::string name, std::string help, const Kind (&all)[N]) {
  std::vector<std::string> names;
  for (const Kind k : all) names.emplace_back(to_string(k));
  std::string listed;
  for (const auto& n : names) listed += (listed.empty() ? ": " : ", ") + n;
  return {std::move(name), help + listed, option_kind::choice, "", 0, 0, std::move(names)};
}
template <class Kind, std::size_t N>
void set_policy(Kind& policy, const option_values& values, std::string_view name,
                const Kind (&all)[N]) {
  for (const Kind k : all)
    if (to_string(k) == values.text(name)) policy = k;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& each : presets::all()) names.emplace_back(each.name);
  return names;
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
          workloads::choice_option("preset", "a scheduler of the literature: see heist presets",
                                   "heist", preset_names()),
          policy_option("deque", "which deque holds the forks", all_deque_kinds),
          pool_option("steal-batch", "most jobs of a steal, with the deque multi_steal [2]", 1,
                      pool_config::max_steal_batch),
          policy_option("steal-rule", "what a steal takes where there are fewer", all_steal_rules),
          policy_option("queue-order", "of the shared queue", all_queue_orders),
          policy_option("spawn", "what thieves steal of a scope", all_spawn_kinds),
          policy_option("join", "what a join does that has to wait", all_join_kinds),
          policy_option("victim", "whom a worker without work asks", all_victim_kinds),
          policy_option("idle", "how far a worker without work goes", all_idle_kinds),
          policy_option("yield", "what a worker does after a failed attempt to steal",
                        all_yield_kinds)};
}

class run_parser {
 public:
  explicit run_parser(arguments& own) : own_(own) {
    add_common(own_, common_);
    for (const auto* workload : workloads::all())
      add_choice({workload}, std::string(workload->name()), std::string(workload->summary()));
    add_choice(workloads::all(), "all", "every workload with its defaults, as a table");
  }

  [[nodiscard]] run_request to_request(const std::string& line) const {
    const auto given = std::find_if(choices_.begin(), choices_.end(),
                                    [](const choice& each) { return each.own->is_given(); });
    const auto extras = own_.extras();
    if (given == choices_.end()) refuse_workload(extras);
    const auto& name = given->own->name();
    run_request request;
    request.command = line;
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
    request.repeat = static_cast<unsigned>(common.integer("repeat"));
    request.stats = !stats_.empty();
    request.profile = profile_;
    request.costs = costs_;
    request.dag = dag_;
    refuse_unused(request);
    set_scheduler(request, common, stats_);
    set_series(request);
    if (!request.all) require_possible(request, *given->workloads.front());
    return request;
  }

 private:
  struct choice {
    std::vector<const workloads::workload*> workloads;
    arguments* own;
    bound_options options;
    bound_options common;
  };

  void add_choice(const std::vector<const workloads::workload*>& workloads, const std::string& name,
                  const std::string& summary) {
    auto& added = choices_.emplace_back();
    added.workloads = workloads;
    added.own = &own_.add_command(name, summary);
    if (workloads.size() == 1) added.options.add(*added.own, workloads.front()->options());
    add_common(*added.own, added.common);
  }

  // It may stand before or after the workload's name; the one after it wins.
  void add_common(arguments& to, bound_options& options) {
    options.add(to, common_options());
    to.add({"--json", &json_, "one object for each workload, on a line of its own"});
    to.add({.names = "--stats",
            .to = &stats_,
            .help = "what the workers counted, as a table; --stats=timed: with histograms of "
                    "steals, wake-ups and idle spells; --stats=full: with puts and takes too, for "
                    "which each fork is a call",
            .implied = "slow_path"});
    to.add({"--profile", &profile_,
            "one more run on P workers, whose work, span and critical path are measured"});
    to.add({"--costs", &costs_, "with --profile: a file of heist lab calibrate", "FILE"});
    to.add({"--dag", &dag_,
            "with --profile, which then runs on one worker: a file for its DAG, for heist sim "
            "--dag file:",
            "FILE"});
    to.add({.names = "--deque-series",
            .to = &series_,
            .help = "one more run, in which the sizes of the deques are sampled: probabilities of "
                    "their changes in a step; --deque-series=FILE.html, .svg or .csv writes a "
                    "page, a picture, or the samples",
            .implied = "-"});
    to.add({"--deque-step", &step_, "of --deque-series, in ticks of the processor's clock [100]",
            "N"});
  }

  static void refuse_unused(const run_request& request) {
    if (!request.profile && !request.costs.empty())
      throw usage_error("run: --costs goes with --profile");
    if (!request.profile && !request.dag.empty())
      throw usage_error("run: --dag goes with --profile");
    if (request.all && !request.dag.empty())
      throw usage_error("run: --dag goes with one workload, not with all");
  }

  // The preset, and what was given beside it.
  static void set_scheduler(run_request& request, const option_values& common,
                            std::string_view stats) {
    const presets::preset& preset = *presets::find(common.text("preset"));
    request.preset = preset.name;
    request.how = workloads::execution_of(preset);
    pool_config& c = request.pool = preset.config;
    c.workers = static_cast<unsigned>(given_or_zero(common, "workers"));
    c.stack_size = given_or_zero(common, "stack-size");
    set_policy(c.deque, common, "deque", all_deque_kinds);
    set_policy(c.rule, common, "steal-rule", all_steal_rules);
    set_policy(c.order, common, "queue-order", all_queue_orders);
    set_policy(c.spawn, common, "spawn", all_spawn_kinds);
    set_policy(c.join, common, "join", all_join_kinds);
    set_policy(c.victim, common, "victim", all_victim_kinds);
    set_policy(c.idle, common, "idle", all_idle_kinds);
    set_policy(c.yield, common, "yield", all_yield_kinds);
    c.stats = stats_kind_of(stats);
    if (common.is_given("steal-batch")) {
      if (c.deque != deque_kind::multi_steal)
        throw usage_error("run: --steal-batch goes with the deque multi_steal");
      c.steal_batch = static_cast<unsigned>(common.integer("steal-batch"));
    }
    if (common.is_given("steal-rule") && c.deque != deque_kind::multi_steal)
      throw usage_error("run: --steal-rule goes with the deque multi_steal");
    if (common.is_given("queue-order") && c.deque != deque_kind::shared_queue)
      throw usage_error("run: --queue-order goes with the deque shared_queue");
  }

  static void require_possible(const run_request& request, const workloads::workload& program) {
    if (request.how.with == workloads::construct::plan && !program.describe().has_only_loops)
      throw usage_error(fmt::format("the preset {} has only loops, and {} forks", request.preset,
                                    program.name()));
  }

  static stats_kind stats_kind_of(std::string_view text) {
    if (text.empty()) return stats_kind::slow_path;
    for (const stats_kind k : all_stats_kinds)
      if (text == to_string(k)) return k;
    throw usage_error(fmt::format("run: --stats={}: must be slow_path, timed or full", text));
  }

  void set_series(run_request& request) const {
    if (series_.empty()) {
      if (!step_.empty()) throw usage_error("run: --deque-step goes with --deque-series");
      return;
    }
    if (request.all) throw usage_error("run all: --deque-series goes with one workload");
    series_request wanted;
    if (series_ != "-") wanted.file = series_;
    const auto is = [&wanted](std::string_view ending) { return wanted.file.ends_with(ending); };
    if (!wanted.file.empty() && !is(".html") && !is(".svg") && !is(".csv"))
      throw usage_error(
          fmt::format("run: --deque-series={}: must end with .html, .svg or .csv", wanted.file));
    if (!step_.empty())
      wanted.step_ticks =
          static_cast<double>(whole_number("run", "--deque-step", step_, 1, 1'000'000'000));
    request.deque_series = std::move(wanted);
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

  arguments& own_;
  bound_options common_;
  std::deque<choice> choices_;  // a deque: the options keep the addresses of its elements
  bool json_ = false;
  bool profile_ = false;
  std::string costs_, dag_;
  std::string stats_;          // a stats_kind, or empty
  std::string series_, step_;  // as they were given
};

}  // namespace

reader<run_request> add_run(arguments& own) {
  const auto parser = std::make_shared<run_parser>(own);
  return [parser](const std::string& line) { return parser->to_request(line); };
}

}  // namespace heist::cli
