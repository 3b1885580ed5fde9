#include "cli/sim/parse_sim_cluster.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/args/numbers.hpp"
#include "cli/args/suggest.hpp"
#include "cli/sim/sim_cluster.hpp"

namespace heist::cli {

namespace {

constexpr std::uint32_t most_ranks = 1U << 20;
constexpr double most_ns = 1e15;  // eleven days

// A number and a unit: 250ns, 1.5us, 20ms, 3s.
double duration_ns(std::string_view key, std::string_view text) {
  struct unit {
    std::string_view name;
    double ns;
  };
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && value >= 0)
    for (const unit each : {unit{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}})
      if (std::string_view(rest, static_cast<std::size_t>(end - rest)) == each.name &&
          value * each.ns <= most_ns)
        return value * each.ns;
  throw usage_error(fmt::format(
      "sim: --cluster: {} takes a time with its unit, as 2us or 1.5ms, not '{}'", key, text));
}

std::uint64_t whole_ns(std::string_view key, std::string_view text) {
  return static_cast<std::uint64_t>(duration_ns(key, text));
}

// Of what happens again and again: a shorter time would be more events than anybody waits for.
std::uint64_t period_ns(std::string_view key, std::string_view text) {
  const auto ns = whole_ns(key, text);
  if (ns < 1000)
    throw usage_error(fmt::format("sim: --cluster: {} takes at least 1us, not '{}'", key, text));
  return ns;
}

std::uint64_t number(std::string_view key, std::string_view text, std::uint64_t least,
                     std::uint64_t greatest) {
  return whole_number("sim", fmt::format("--cluster: {}", key), text, least, greatest);
}

double share(std::string_view key, std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !(value >= 0 && value < 1))
    throw usage_error(
        fmt::format("sim: --cluster: {} takes a number from 0 to below 1, not '{}'", key, text));
  return value;
}

std::vector<cluster_stealing> stealing_kinds(std::string_view text) {
  using enum cluster_stealing;
  const std::vector<cluster_stealing> all = {lifelines, distance, random};
  if (text == "all") return all;
  for (const auto each : all)
    if (to_string(each) == text) return {each};
  throw usage_error(fmt::format(
      "sim: --cluster: stealing is one of lifelines, distance, random, all, not '{}'", text));
}

cluster::simulated::death death_of(std::string_view text) {
  const auto at = text.find('@');
  if (at == std::string_view::npos)
    throw usage_error(
        fmt::format("sim: --cluster: kill takes RANK@TIME, as 3@20ms, not '{}'", text));
  return {static_cast<std::uint32_t>(number("kill", text.substr(0, at), 0, most_ranks - 1)),
          whole_ns("kill", text.substr(at + 1))};
}

struct key {
  std::string_view name, help;
  void (*set)(sim_cluster_request& to, std::string_view text);
};

constexpr std::array keys = {
    key{"ranks", "nodes, a list, as 1000 or 16..65536 (doubles)",
        [](sim_cluster_request& to, std::string_view text) {
          to.processors = number_list("sim", "--cluster: ranks", text, most_ranks);
        }},
    key{"latency", "of a message from host to host [10us]",
        [](sim_cluster_request& to, std::string_view text) {
          to.settings.latency_ns = duration_ns("latency", text);
        }},
    key{"item", "the time of an item, a list, as 100ns,1us [1us]",
        [](sim_cluster_request& to, std::string_view text) {
          to.item_ns.clear();
          for (const auto part : parts_of(text)) to.item_ns.push_back(duration_ns("item", part));
          if (std::any_of(to.item_ns.begin(), to.item_ns.end(),
                          [](double ns) { return ns < 1e-3; }))
            throw usage_error("sim: --cluster: item takes at least 0.001ns");
        }},
    key{"stealing",
        "lifelines: two victims at random, then lifelines; distance: half of the victims are of "
        "the own host; random: victims at random, for ever; all: each of these [lifelines]",
        [](sim_cluster_request& to, std::string_view text) { to.stealing = stealing_kinds(text); }},
    key{"chunk", "items between two looks at the messages [as many as take the latency]",
        [](sim_cluster_request& to, std::string_view text) {
          to.settings.chunk_items = number("chunk", text, 1, 1'000'000'000);
          to.has_chunk = true;
        }},
    key{"tries", "victims asked at random before the lifelines [2]",
        [](sim_cluster_request& to, std::string_view text) {
          to.settings.protocol.tries = static_cast<std::uint32_t>(number("tries", text, 0, 1000));
        }},
    key{"host", "ranks of a host [1]",
        [](sim_cluster_request& to, std::string_view text) {
          to.settings.protocol.nodes_each_host =
              static_cast<std::uint32_t>(number("host", text, 1, most_ranks));
        }},
    key{"near", "the latency within a host [1us]",
        [](sim_cluster_request& to, std::string_view text) {
          to.settings.host_latency_ns = duration_ns("near", text);
        }},
    key{"jitter", "latencies are at most that share longer or shorter, as 0.2 [0]",
        [](sim_cluster_request& to, std::string_view text) {
          to.settings.jitter = share("jitter", text);
        }},
    key{"message", "the time that a message costs its sender and its receiver [0ns]",
        [](sim_cluster_request& to, std::string_view text) {
          to.settings.message_ns = whole_ns("message", text);
        }},
    key{"snapshot", "the time between two snapshots [none]",
        [](sim_cluster_request& to, std::string_view text) {
          to.settings.snapshot_ns = period_ns("snapshot", text);
        }},
    key{"heartbeat", "the time between two signs of life [none]; a silence is ten of them",
        [](sim_cluster_request& to, std::string_view text) {
          to.settings.protocol.heartbeat_ns = period_ns("heartbeat", text);
          to.settings.protocol.silence_ns = 10 * to.settings.protocol.heartbeat_ns;
        }},
    key{"kill", "a rank that dies, and when, as 3@20ms",
        [](sim_cluster_request& to, std::string_view text) { to.settings.dies = death_of(text); }},
};

const key& key_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& each : keys) {
    if (each.name == name) return each;
    names.push_back(each.name);
  }
  throw usage_error("sim: --cluster: " +
                    unknown("key", std::string(name), names, "heist sim --help"));
}

// "a=1,2,b=3" as its parts "a=1,2" and "b=3".
std::vector<std::string> assignments(std::string_view text) {
  std::vector<std::string> all;
  for (const auto part : parts_of(text)) {
    if (part.find('=') == std::string_view::npos && !all.empty())
      all.back() += fmt::format(",{}", part);
    else
      all.emplace_back(part);
  }
  return all;
}

void check(const sim_cluster_request& request) {
  const auto& dies = request.settings.dies;
  if (dies && request.settings.protocol.heartbeat_ns == 0)
    throw usage_error("sim: --cluster: kill goes with heartbeat: nobody would notice");
  for (const auto ranks : request.processors)
    if (dies && dies->node >= ranks)
      throw usage_error(
          fmt::format("sim: --cluster: there is no rank {} among {}", dies->node, ranks));
}

}  // namespace

sim_cluster_request parse_sim_cluster(const sim_task& task, std::string_view text) {
  sim_cluster_request request;
  static_cast<sim_task&>(request) = task;
  request.processors.clear();
  for (const auto& each : assignments(text)) {
    const auto equals = each.find('=');
    if (equals == std::string::npos)
      throw usage_error(fmt::format(
          "sim: --cluster takes KEY=VALUE,..., as ranks=1000,latency=2us, not '{}'", each));
    key_named(std::string_view(each).substr(0, equals))
        .set(request, std::string_view(each).substr(equals + 1));
  }
  if (request.processors.empty())
    throw usage_error("sim: --cluster needs ranks, as ranks=1000 or ranks=16..65536");
  check(request);
  return request;
}

std::string sim_cluster_help() {
  std::string text = "\nKeys of --cluster, as ranks=16..65536,latency=2us:\n";
  for (const auto& each : keys) text += fmt::format("  {:<32}{}\n", each.name, each.help);
  return text + "  Its computations: uts:TREE, and units:N for N independent items.\n";
}

}  // namespace heist::cli
