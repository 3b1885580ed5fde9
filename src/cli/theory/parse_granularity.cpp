#include "cli/theory/parse_granularity.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/args/numbers.hpp"
#include "cli/args/suggest.hpp"
#include "lab/schedulers/central_queue.hpp"

namespace heist::cli {

namespace {

constexpr std::uint64_t max_work = 1'000'000'000'000;  // steps
constexpr std::uint64_t max_runs = 1'000'000;
constexpr std::string_view help = "heist theory granularity --help";

std::uint64_t number(std::string_view option, std::string_view text, std::uint64_t least,
                     std::uint64_t greatest) {
  return whole_number("granularity", option, text, least, greatest);
}

template <class Names>
auto kind_of(std::string_view what, std::string_view text, const Names& names) {
  std::vector<std::string_view> all;
  for (const auto& each : names) {
    if (each.name == text) return each.kind;
    all.push_back(each.name);
  }
  throw usage_error(unknown(what, text, all, help));
}

template <class Kind>
struct named {
  std::string_view name;
  Kind kind;
};

constexpr named<lab::queue_kind> queues[] = {
    {"exclusive", lab::queue_kind::exclusive},
    {"shared", lab::queue_kind::shared},
};

constexpr named<granularity_curve> curves[] = {
    {"time", granularity_curve::time},
    {"balance", granularity_curve::balance},
    {"overhead", granularity_curve::overhead},
    {"tail", granularity_curve::tail},
};

// Removes repetitions and keeps the order.
template <class Kind>
void add_once(std::vector<Kind>& to, Kind kind) {
  if (std::find(to.begin(), to.end(), kind) == to.end()) to.push_back(kind);
}

bool has_hints(lab::task_scheduler scheduler) {
  return scheduler == lab::task_scheduler::longest_first ||
         scheduler == lab::task_scheduler::shortest_first;
}

bool has_takes(lab::task_scheduler scheduler) {
  return scheduler != lab::task_scheduler::blocks && scheduler != lab::task_scheduler::interleaved;
}

bool has_queue(lab::task_scheduler scheduler) {
  using enum lab::task_scheduler;
  return scheduler != blocks && scheduler != interleaved && scheduler != stealing;
}

std::vector<granularity_request::choice> choices(const granularity_texts& given) {
  std::vector<lab::hint_kind> hints;
  for (const auto name : parts_of(given.hint))
    add_once(hints, kind_of("hint", name, lab::hint_names()));
  std::vector<lab::task_scheduler> schedulers;
  for (const auto name : parts_of(given.scheduler)) {
    if (name == "all")
      for (const auto& each : lab::task_schedulers()) add_once(schedulers, each.kind);
    else
      add_once(schedulers, kind_of("scheduler", name, lab::task_schedulers()));
  }
  std::vector<granularity_request::choice> result;
  for (const auto scheduler : schedulers) {
    for (const auto hint : has_hints(scheduler) ? hints : std::vector{lab::hint_kind::exact})
      result.push_back({scheduler, hint});
  }
  return result;
}

// Refuses options that none of the chosen schedulers uses.
void refuse_unused(const arguments& own, const std::vector<granularity_request::choice>& chosen) {
  const auto any = [&](bool (*of)(lab::task_scheduler)) {
    return std::any_of(chosen.begin(), chosen.end(),
                       [of](const auto& each) { return of(each.scheduler); });
  };
  if (own.is_given("--hint") && !any(has_hints))
    throw usage_error("granularity: --hint goes with longest-first and shortest-first");
  if (own.is_given("--queue") && !any(has_queue))
    throw usage_error("granularity: --queue doesn't go with static, interleaved and work-stealing");
  if (own.is_given("--queue-cost") && !any(has_takes))
    throw usage_error("granularity: --queue-cost doesn't go with static and interleaved");
}

}  // namespace

const std::vector<granularity_option>& granularity_options() {
  using texts = granularity_texts;
  static const std::vector<granularity_option> all = {
      {"-P,--processors,--workers", &texts::processors, "processors"},
      {"--work", &texts::work, "steps that the loop takes in all"},
      {"--tasks", &texts::tasks, "for each processor: a list, as 1,4,100; 1..128 doubles"},
      {"--costs", &texts::costs, "how the iterations' costs are distributed; see below"},
      {"--scheduler", &texts::scheduler, "all, or a list; see below"},
      {"--hint", &texts::hint,
       "with longest-first and shortest-first: what they go by, a list; see below"},
      {"--queue-cost", &texts::queue_cost, "steps of a take from a queue, and of a steal attempt"},
      {"--queue", &texts::queue, "exclusive: one take at a time; shared: takes overlap"},
      {"--seeds", &texts::seeds, "runs for each row, where there is chance in it"},
      {"--seed", &texts::seed, "the first seed"},
      {"--curve", &texts::curve, "what --svg shows: time, balance, overhead or tail"},
  };
  return all;
}

std::string granularity_help() {
  std::string text;
  const auto add = [&text](std::string_view title, const auto& names) {
    text += fmt::format("\n{}:\n", title);
    for (const auto& each : names) text += fmt::format("  {:<16}{}\n", each.name, each.summary);
  };
  add("Schedulers", lab::task_schedulers());
  add("Costs", lab::cost_names());
  add("Hints", lab::hint_names());
  return text;
}

granularity_request to_request(const arguments& own, const granularity_texts& given) {
  granularity_request request;
  auto& setup = request.setup;
  setup.processors =
      static_cast<std::uint32_t>(number("-P", given.processors, 1, lab::max_task_processors));
  setup.work = number("--work", given.work, 1, max_work);
  setup.costs = kind_of("distribution", given.costs, lab::cost_names());
  setup.queue_cost =
      static_cast<std::uint32_t>(number("--queue-cost", given.queue_cost, 0, lab::max_queue_cost));
  setup.queue = kind_of("queue", given.queue, queues);
  setup.seeds = number("--seeds", given.seeds, 1, max_runs);
  setup.seed = number("--seed", given.seed, 0, UINT64_MAX - max_runs);
  auto& factors = request.factors;
  factors = number_list("granularity", "--tasks", given.tasks,
                        static_cast<std::uint32_t>(lab::max_grains));
  std::sort(factors.begin(), factors.end());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  setup.finest = factors.back();
  check_setup(setup);
  request.choices = choices(given);
  refuse_unused(own, request.choices);
  request.curve = kind_of("curve", given.curve, curves);
  return request;
}

}  // namespace heist::cli
