#include "cli/sim/sim_request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <span>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/args/numbers.hpp"
#include "cli/args/suggest.hpp"
#include "cli/sim/parse_sim_cluster.hpp"
#include "cli/sim/sim.hpp"
#include "lab/catalog/computation.hpp"
#include "lab/catalog/kernels.hpp"
#include "lab/catalog/schedulers.hpp"

namespace heist::cli {

namespace {

using namespace lab;

std::uint64_t number(std::string_view option, std::string_view text, std::uint64_t least,
                     std::uint64_t greatest) {
  return whole_number("sim", option, text, least, greatest);
}

template <class Kind>
struct named {
  std::string_view name;
  Kind kind;
};

template <class Kind, std::size_t N>
Kind choice(std::string_view option, std::string_view text,
            const std::array<named<Kind>, N>& choices) {
  std::string names;
  for (const auto& each : choices) {
    if (each.name == text) return each.kind;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
  }
  throw usage_error(fmt::format("sim: {} is one of {}, not '{}'", option, names, text));
}

template <class Kind, std::size_t N>
std::vector<std::string> names_of(const std::array<named<Kind>, N>& choices) {
  std::vector<std::string> names;
  for (const auto& each : choices) names.emplace_back(each.name);
  return names;
}

constexpr std::array<named<engine_kind>, 3> engines = {{
    {"best", engine_kind::best},
    {"step", engine_kind::step},
    {"event", engine_kind::event},
}};
constexpr std::array<named<victim_choice>, 3> victims = {{
    {"random", victim_choice::random},
    {"nearest", victim_choice::nearest},
    {"lifeline", victim_choice::lifeline},
}};
constexpr std::uint32_t most_queueing = 4096;  // processors
constexpr std::array<named<access_model>, 2> accesses = {{
    {"queue", access_model::queue},
    {"reject", access_model::reject},
}};
constexpr std::array<named<answer_order>, 3> answers = {{
    {"first", answer_order::first},
    {"last", answer_order::last},
    {"random", answer_order::random},
}};

constexpr std::array<named<sim_curve>, 5> curves = {{
    {"speedup", sim_curve::speedup},
    {"space", sim_curve::space},
    {"attempts", sim_curve::attempts},
    {"wait", sim_curve::wait},
    {"communication", sim_curve::communication},
}};
constexpr std::array<named<sim_columns_shown>, 3> shown_names = {{
    {"time", sim_columns_shown::time},
    {"communication", sim_columns_shown::communication},
    {"quantiles", sim_columns_shown::quantiles},
}};
constexpr std::uint64_t seeds_for_quantiles = 100;
constexpr std::array<named<yield_policy>, 3> yields = {{
    {"none", yield_policy::none},
    {"to-random", yield_policy::to_random},
    {"to-all", yield_policy::to_all},
}};

constexpr std::array<named<spawn_order>, 2> spawns = {{
    {"child", spawn_order::child_first},
    {"parent", spawn_order::parent_first},
}};
constexpr std::array<named<enabled_order>, 2> enabled_orders = {{
    {"queued", enabled_order::queued},
    {"run", enabled_order::run},
}};

constexpr std::uint64_t max_seeds = 1'000'000;
constexpr std::uint64_t max_latency = 1'000'000;

std::string computation_help() {
  std::string text;
  for (const auto& each : computations())
    text += (text.empty() ? "" : ", ") + usage(each.name, each.arguments);
  return text;
}

std::string scheduler_help() {
  std::string text = "\nSchedulers:\n";
  for (const auto& each : schedulers())
    text += fmt::format("  {:<32}{}\n", each.name, each.summary);
  text +=
      "  abp                             work stealing by processes, on the processors that a "
      "kernel gives them\n";
  text += "\nKernels, for abp and greedy:\n";
  for (const auto& each : kernels())
    text +=
        fmt::format("  {:<32}{}: {}\n", usage(each.name, each.arguments), each.knows, each.summary);
  text += sim_cluster_help();
  text += "\nComputations:\n";
  for (const auto& each : computations())
    text += fmt::format("  {:<32}{}\n", usage(each.name, each.arguments), each.summary);
  return text;
}

void set_amount(stealing_settings& stealing, const std::string& text) {
  if (text == "one") {
    stealing.amount = steal_amount::one;
  } else if (text == "half") {
    stealing.amount = steal_amount::half;
  } else {
    constexpr std::string_view or_one = "-or-one";
    const bool may_be_one = text.ends_with(or_one);
    stealing.amount = may_be_one ? steal_amount::k_or_one : steal_amount::k;
    const auto count = text.substr(0, text.size() - (may_be_one ? or_one.size() : 0));
    stealing.k = static_cast<std::uint32_t>(
        number("--steal (one, half, a number, or as 8-or-one)", count, 1, 1'000'000));
  }
}

template <std::size_t N>
void set_levels(std::array<std::uint32_t, N>& levels, std::string_view option,
                const std::string& text, std::uint64_t greatest) {
  const auto parts = parts_of(text);
  if (parts.size() != N)
    throw usage_error(
        fmt::format("sim: {} takes {} numbers with commas between, not '{}'", option, N, text));
  for (std::size_t i = 0; i < N; ++i)
    levels[i] = static_cast<std::uint32_t>(number(option, parts[i], 1, greatest));
  if (!std::is_sorted(levels.begin(), levels.end()))
    throw usage_error(fmt::format("sim: {} grows with the distance, unlike '{}'", option, text));
}

kernel_request under_kernel(const sim_task& task, const std::string& scheduler,
                            const std::string& kernel) {
  if (scheduler != "abp" && scheduler != "greedy")
    throw usage_error(
        fmt::format("sim: a kernel goes with abp and greedy, not with {}", scheduler));
  kernel_request request;
  static_cast<sim_task&>(request) = task;
  if (scheduler == "greedy") request.settings.scheduler = user_scheduler::greedy;
  if (!kernel.empty()) request.settings.kernel = kernel;
  return request;
}

struct texts {
  std::string dag, scheduler = "work-stealing", processors = "1..64", seeds = "1", seed = "1";
  std::string engine = "best", steal = "one", victim = "random", access = "auto", answer = "first",
              lazy = "0";
  std::string queue_cost = "0", latency = "1,1,1,1", groups = "4,16,64", tries = "2";
  std::string kernel, yield = "to-all", svg, html, curve = "speedup", shown = "time";
  std::string costs, instruction_ns, scale, cluster, lock = "0", spawn = "child",
                                                     enabled = "queued";
  bool json = false, csv = false, table = false, check = false;
};

// The options that say how thieves behave.
constexpr std::array stealing_options = {"--steal",   "--victim", "--access", "--answer",
                                         "--latency", "--groups", "--tries",  "--lazy"};
// The options that choose or show a schedule. They go neither with costs, where the schedule is the
// runtime's, nor with a kernel, where it is the paper's.
constexpr std::array schedule_options = {"--engine", "--queue-cost", "--curve", "--show"};

// Refuses options beside `what`: who gives one expects an effect, also of a default.
void refuse(const arguments& own, std::span<const char* const> options, const std::string& what) {
  for (const char* const name : options)
    if (own.is_given(name)) throw usage_error(fmt::format("sim: {} {}", name, what));
}
void refuse_schedule(const arguments& own, const std::string& what) {
  refuse(own, stealing_options, what);
  refuse(own, schedule_options, what);
}

constexpr std::array abp_options = {"--yield", "--spawn", "--enabled", "--lock"};

void refuse_unused(const arguments& own, const texts& g) {
  if (g.scheduler != "abp") refuse(own, abp_options, "goes with --scheduler abp");
  if (own.is_given("--lock") && g.check)
    throw usage_error("sim: --check knows no locks: it doesn't go with --lock");
  if (own.is_given("--lazy") && g.check)
    throw usage_error(
        "sim: --check knows no bound of lazily recorded forks: it doesn't go with --lazy");
  if (own.is_given("--curve") && g.svg.empty()) throw usage_error("sim: --curve goes with --svg");
}

void refuse_unused(const arguments& own, const texts& g, const run_settings& settings) {
  refuse_unused(own, g);
  if (!has_thieves(settings))
    refuse(own, stealing_options,
           fmt::format("goes with work-stealing and child-stealing, not with {}", g.scheduler));
  if (own.is_given("--show") && !has_chance(settings))
    throw usage_error(
        fmt::format("sim: --show goes with work stealing and sharing, not with {}", g.scheduler));
  const auto& stealing = settings.stealing;
  if (own.is_given("--tries") && stealing.victims == victim_choice::random)
    throw usage_error("sim: --tries goes with --victim nearest and lifeline");
  if (own.is_given("--answer") && stealing.access == access_model::reject)
    throw usage_error("sim: --answer doesn't go with --access reject");
}

timed_request with_costs(const sim_task& task, const arguments& own, const texts& g) {
  constexpr std::array others = {"--scheduler", "--kernel", "--check"};
  refuse_schedule(own, "doesn't go with --costs");
  refuse(own, abp_options, "doesn't go with --costs");
  refuse(own, others, "doesn't go with --costs");
  timed_request request;
  static_cast<sim_task&>(request) = task;
  request.costs = g.costs;
  if (!g.instruction_ns.empty())
    request.instruction_ns =
        decimal_number("sim", "--instruction-ns", g.instruction_ns, 1e-3, cost_model::max_ns);
  return request;
}

void refuse_beside_cluster(const arguments& own) {
  constexpr std::array others = {"--scheduler", "--kernel", "--costs", "--instruction-ns",
                                 "--scale",     "-P",       "--check"};
  refuse_schedule(own, "doesn't go with --cluster");
  refuse(own, abp_options, "doesn't go with --cluster");
  refuse(own, others, "doesn't go with --cluster");
}

std::vector<sim_task::scaling> scalings(std::string_view text) {
  std::vector<sim_task::scaling> result;
  for (const auto& part : parts_of(text)) {
    const auto equals = part.rfind('=');
    double factor = 0;
    const char* const end = part.data() + part.size();
    const char* const number = equals == std::string::npos ? end : part.data() + equals + 1;
    const auto [read, error] = std::from_chars(number, end, factor);
    if (equals == std::string::npos || equals == 0 || error != std::errc() || read != end ||
        !(factor >= 0) || factor > 1000)
      throw usage_error(fmt::format(
          "sim: --scale takes REGION=FACTOR, with a factor from 0 to 1000, not '{}'", part));
    result.push_back({std::string(part.substr(0, equals)), factor});
  }
  return result;
}

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names = {"abp"};
  for (const auto& each : schedulers()) names.emplace_back(each.name);
  return names;
}

// Finds a scheduler by its name.
scheduler_kind scheduler_of(const std::string& name) {
  std::vector<std::string_view> names = {"abp"};
  for (const auto& each : schedulers()) {
    if (each.name == name) return each.kind;
    names.push_back(each.name);
  }
  throw usage_error(unknown("scheduler", name, names, "heist sim --help"));
}

// How thieves behave. `most` is the greatest number of processors.
stealing_settings stealing_of(const texts& g, std::uint32_t most) {
  stealing_settings stealing;
  stealing.victims = choice("--victim", g.victim, victims);
  // Waiting requests are simulated one by one, which is slow with many thieves.
  stealing.access = g.access != "auto"     ? choice("--access", g.access, accesses)
                    : most > most_queueing ? access_model::reject
                                           : access_model::queue;
  stealing.answers = choice("--answer", g.answer, answers);
  stealing.tries = static_cast<std::uint32_t>(number("--tries", g.tries, 1, 1'000'000));
  stealing.lazy = static_cast<std::uint32_t>(number("--lazy", g.lazy, 0, 1'000'000));
  set_amount(stealing, g.steal);
  set_levels(stealing.machine.sizes, "--groups", g.groups, max_processors);
  set_levels(stealing.machine.latency, "--latency", g.latency, max_latency);
  return stealing;
}

void add_abp_options(arguments& own, texts& g) {
  own.add_text("--kernel", g.kernel,
               "who gets a processor, with --scheduler abp or greedy; see below");
  own.add_text("--yield", g.yield,
               "after a failed attempt, with --scheduler abp: none, to-random, to-all",
               names_of(yields));
  own.add_text("--spawn", g.spawn,
               "which thread a process runs on after a spawn, with --scheduler abp: child, parent",
               names_of(spawns));
  own.add_text(
      "--enabled", g.enabled,
      "what it does with a thread that it makes ready, with --scheduler abp: queued on its "
      "deque, or run, while its own is queued",
      names_of(enabled_orders));
  own.add_text("--lock", g.lock,
               "steps for which an operation holds its deque's lock, with --scheduler abp; 0: the "
               "deques don't block");
}

// Adds the options, which go to `g`.
void add_options(arguments& own, texts& g) {
  own.add_text("--dag", g.dag, "the computation, as fib:25; see below");
  own.add_text("--scheduler", g.scheduler, "see below", scheduler_names());
  own.add_text("-P,--processors,--workers", g.processors, "a list, as 1,2,12; 1..64 doubles");
  own.add_text("--seeds", g.seeds, "runs for each P, where there is chance in it");
  own.add_text("--seed", g.seed, "the first seed");
  own.add_text("--engine", g.engine, "step, event, or the faster one that there is: best",
               names_of(engines));
  own.add_text("--steal", g.steal,
               "threads taken by a steal: one, half, a number at most, or as "
               "8-or-one: that number, or one where there are fewer");
  own.add_text("--victim", g.victim, "whom thieves ask: random, nearest, lifeline",
               names_of(victims));
  own.add_text(
      "--access", g.access,
      "requests to one deque in one step: queue, or reject all but one; auto: queue up to P = "
      "4096",
      names_of(accesses));
  own.add_text("--answer", g.answer, "which request of a queue is answered: first, last, random",
               names_of(answers));
  own.add_text(
      "--lazy", g.lazy,
      "threads in a deque from which on a spawn leaves none there (lazily recorded forks); "
      "0: it always does");
  own.add_text("--groups", g.groups, "processors of a cache, a socket, a node");
  own.add_text("--latency", g.latency,
               "steps of an attempt within a cache, a socket, a node, the cluster");
  own.add_text("--tries", g.tries,
               "failed attempts before a thief looks farther, or sleeps on its lifelines");
  own.add_text("--queue-cost", g.queue_cost,
               "steps that a take from a central queue keeps it and the processor");
  add_abp_options(own, g);
  own.add_text(
      "--costs", g.costs,
      "a file with costs, as heist lab calibrate writes: work stealing in seconds, not in steps");
  own.add_text("--instruction-ns", g.instruction_ns,
               "with --costs: nanoseconds of a unit of work [what the file says]");
  own.add_text("--scale", g.scale,
               "of a file's DAG: how much longer regions take, as parse=0.5 or parse=0.5,sort=2");
  own.add_text(
      "--cluster", g.cluster,
      "ranks that steal from each other over a network, as ranks=1000,latency=2us; see below");
  own.add_text("--svg", g.svg,
               "a file for the chart; under a kernel of the time, of a small DAG of the schedule");
  own.add_text(
      "--curve", g.curve,
      "what that shows, instead of a schedule too: speedup, space, attempts, wait, communication",
      names_of(curves));
  own.add_text("--show", g.shown,
               "columns about the time, the communication, or the quantiles of 100 seeds and more: "
               "time, communication, quantiles",
               names_of(shown_names));
  own.add_text("--html", g.html, "a file for a page with charts, table and data");
  own.add({"--check", &g.check, "step by step, with every property that must hold"});
  own.add({"--json", &g.json, "an object for each P, on a line of its own"});
  own.add({"--csv", &g.csv, "a line for each P, with names above"});
  own.add({"--table", &g.table, "a row for each P, also where a schedule could be shown"});
  own.set_footer(scheduler_help());
}

sim_request to_request(const arguments& own, const texts& g, const std::string& command) {
  refuse_extras(own.extras(), "sim");
  if (g.dag.empty())
    throw usage_error("sim needs a computation: --dag with one of " + computation_help());
  if (g.json + g.csv + g.table > 1)
    throw usage_error("sim: --json, --csv and --table exclude each other");
  sim_task task;
  task.dag = g.dag;
  task.processors = parse_processors(g.processors);
  task.seeds = number("--seeds", g.seeds, 1, max_seeds);
  task.svg = g.svg;
  task.html = g.html;
  task.form = g.json ? report::form::json : g.csv ? report::form::csv : report::form::text;
  task.command = command;
  if (!g.scale.empty()) task.scaled = scalings(g.scale);
  if (!g.scale.empty() && !g.kernel.empty())
    throw usage_error("sim: --scale doesn't go with a kernel");
  step_request request;
  request.check = g.check;
  request.curve = choice("--curve", g.curve, curves);
  request.shown = choice("--show", g.shown, shown_names);
  if (request.shown == sim_columns_shown::quantiles && task.seeds < seeds_for_quantiles)
    throw usage_error(
        fmt::format("sim: --show quantiles needs --seeds of {} or more", seeds_for_quantiles));
  request.has_schedule = !g.table && !own.is_given("--curve") && !own.is_given("--show");
  auto& settings = request.settings;
  task.first_seed = number("--seed", g.seed, 0, UINT64_MAX - max_seeds);
  settings.queue_cost =
      static_cast<std::uint32_t>(number("--queue-cost", g.queue_cost, 0, 1'000'000));
  settings.engine = choice("--engine", g.engine, engines);
  settings.stealing =
      stealing_of(g, *std::max_element(task.processors.begin(), task.processors.end()));
  static_cast<sim_task&>(request) = task;
  if (!g.cluster.empty()) {
    refuse_beside_cluster(own);
    return parse_sim_cluster(task, g.cluster);
  }
  if (g.check && settings.engine == engine_kind::event)
    throw usage_error("sim: --check looks at every step: it goes with --engine step");
  if (!g.costs.empty()) return with_costs(task, own, g);
  if (!g.instruction_ns.empty()) throw usage_error("sim: --instruction-ns goes with --costs");
  if (g.scheduler == "abp" || !g.kernel.empty()) {
    refuse_schedule(own, "doesn't go with a kernel");
    refuse_unused(own, g);
    auto under = under_kernel(task, g.scheduler, g.kernel);
    under.settings.yield = choice("--yield", g.yield, yields);
    under.settings.spawn = choice("--spawn", g.spawn, spawns);
    under.settings.enabled = choice("--enabled", g.enabled, enabled_orders);
    under.settings.lock_steps = static_cast<std::uint32_t>(number("--lock", g.lock, 0, 1'000'000));
    under.check = g.check;
    return under;
  }
  settings.scheduler = scheduler_of(g.scheduler);
  refuse_unused(own, g, settings);
  return request;
}

}  // namespace

reader<sim_request> add_sim(arguments& own) {
  const auto given = std::make_shared<texts>();
  add_options(own, *given);
  return [given, &own](const std::string& line) { return to_request(own, *given, line); };
}

std::vector<std::uint32_t> parse_processors(const std::string& text) {
  return number_list("sim", "-P", text, max_processors);
}

}  // namespace heist::cli
