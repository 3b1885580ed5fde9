// Measures how much longer programs take under heist race: the workloads, each once on one worker,
// as they are, compiled for heist race, and compiled with -fsanitize=thread, in turn.
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "bench/memory/child.hpp"
#include "bench/rounds.hpp"

namespace heist::bench {

namespace {

using workloads::choice_option;
using workloads::path_option;

constexpr double most_times = 8;

std::vector<workloads::option_spec> options(scale of) {
  return {
      choice_option("workloads", "which of them run", of == scale::quick ? "few" : "all",
                    {"few", "all"}),
      path_option("plain", "the workloads as they are [heist-plain-workloads, beside the command]"),
      path_option("checked", "those of heist race [heist-race-workloads, beside the command]"),
      path_option("tsan", "those of ThreadSanitizer [none]")};
}

struct timed {
  std::string name;
  double seconds;
};

// Of each workload the better of two runs, in the program's order.
std::vector<timed> times_of(const std::string& program, bool few) {
  std::vector<std::string> call = {"HEIST_WORKERS=1", program, "--times"};
  if (few) call.insert(call.end(), {"fib", "nqueens", "heat"});
  std::istringstream lines(output_of("/usr/bin/env", call));
  std::vector<timed> all;
  for (timed each; lines >> each.name >> each.seconds;) all.push_back(each);
  if (all.empty()) throw resource_error(program + ": no times in what it printed");
  return all;
}

// One contestant's factors.
struct factors {
  std::string name, program;
  std::map<std::string, samples> of{};

  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const auto& [workload, times] : of) sum += std::log(times.median());
    return std::exp(sum / static_cast<double>(of.size()));
  }
};

results run(const workloads::option_values& values, const settings& with) {
  results result;
  result.title = fmt::format("workloads under heist race, one worker; {} rounds", with.repeat);
  const std::string plain = program_of(values, "plain", "heist-plain-workloads");
  std::vector<factors> contestants = {
      {"heist race", program_of(values, "checked", "heist-race-workloads")},
      {"ThreadSanitizer", values.text("tsan")}};
  target promised{"heist race, geometric mean", "", bound::at_most, most_times, std::nullopt, ""};
  if (plain.empty() || contestants[0].program.empty()) {
    promised.note = "no programs beside the command: scripts/build race";
    result.rows = {{"workloads", {}, promised.note}};
    result.targets = {promised};
    return result;
  }
  const bool few = values.text("workloads") == "few";
  std::vector<std::string> names;
  std::map<std::string, samples> seconds;
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    std::map<std::string, double> of_round;
    for (const timed& each : times_of(plain, few)) {
      if (round == 1) names.push_back(each.name);
      seconds[each.name].add(each.seconds);
      of_round[each.name] = each.seconds;
    }
    for (factors& one : contestants) {
      if (one.program.empty()) continue;
      for (const timed& each : times_of(one.program, few))
        one.of[each.name].add(each.seconds / of_round.at(each.name));
    }
  }
  row means{"geometric mean of the medians", {}, {}};
  for (const std::string& name : names) {
    row r{name, {{"plain", "s", seconds[name]}}, {}};
    for (factors& one : contestants)
      if (!one.program.empty()) r.measures.push_back({one.name, "", one.of[name]});
    result.rows.push_back(r);
  }
  for (const factors& one : contestants)
    if (!one.program.empty()) means.measures.push_back({one.name, "", samples({one.mean()})});
  result.rows.push_back(means);
  promised.measured = contestants[0].mean();
  result.targets = {promised};
  result.notes = {"heist race, ThreadSanitizer: times the plain program of the same round"};
  if (contestants[1].program.empty())
    result.notes.push_back("no ThreadSanitizer: --tsan names its program (bench/README.md)");
  return result;
}

}  // namespace

benchmark race_benchmark() {
  return {"race", "how much longer the workloads take under heist race", &options, &run};
}

}  // namespace heist::bench
