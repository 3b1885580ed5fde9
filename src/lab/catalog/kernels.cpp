#include "lab/catalog/kernels.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "lab/engines/all_kernels.hpp"

namespace heist::lab {

const std::vector<kernel_name>& kernels() {
  constexpr std::uint64_t much = 1'000'000;
  static const std::vector<kernel_name> all = {
      {"dedicated", "nothing", "every process at every step", {}},
      {"benign", "nothing", "1 to 2n - 1 processes, chosen at random", {{"n", 1, much, 4}}},
      {"in-turns",
       "oblivious",
       "n processes for so many steps, then the next n",
       {{"n", 1, much, 4}, {"steps", 1, much, 1}}},
      {"starve-first",
       "oblivious",
       "n processes in turn, never the one that has the root",
       {{"n", 1, much, 4}}},
      {"starve-victims",
       "adaptive",
       "n processes, those with threads to steal last",
       {{"n", 1, much, 4}}},
      {"starve-thieves", "adaptive", "n processes, those without work last", {{"n", 1, much, 4}}},
      {"idle-only", "adaptive", "n processes, those without work first", {{"n", 1, much, 4}}},
      {"lower-bound",
       "oblivious",
       "Theorem 1: none for k steps, all for Tinf, then few",
       {{"k", 0, 1'000'000'000, 0}}},
  };
  return all;
}

std::unique_ptr<kernel> make_kernel(std::string_view text, std::uint32_t processes,
                                    std::uint64_t span, std::uint64_t seed) {
  const spec word(text);
  const auto& all = kernels();
  const auto known = std::find_if(
      all.begin(), all.end(), [&](const kernel_name& each) { return each.name == word.name(); });
  if (known == all.end()) {
    std::string names;
    for (const auto& each : all) names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
    throw usage_error(fmt::format("unknown kernel '{}': there are {}", word.name(), names));
  }
  const auto values = word.arguments(known->arguments);
  const auto name = known->name;
  if (name == "dedicated") return std::make_unique<dedicated_kernel>();
  const auto n = static_cast<std::uint32_t>(values[0]);
  if (name == "benign") return std::make_unique<benign_kernel>(n, seed);
  if (name == "in-turns") return std::make_unique<kernel_in_turns>(0, n, values[1]);
  if (name == "starve-first") {
    if (processes < 2)
      throw usage_error(fmt::format("{}: there is nobody else to run where P is 1", text));
    return std::make_unique<kernel_in_turns>(1, n, 1);
  }
  if (name == "starve-victims")
    return std::make_unique<adaptive_kernel>(favour::without_victims, n);
  if (name == "starve-thieves") return std::make_unique<adaptive_kernel>(favour::working, n);
  if (name == "idle-only") return std::make_unique<adaptive_kernel>(favour::idle, n);
  if (span * processes < values[0] + span)
    throw usage_error(fmt::format(
        "{}: with P {} and Tinf {} it gives no processor after step k + Tinf; k is at most {}",
        text, processes, span, span * (processes - 1)));
  return std::make_unique<lower_bound_kernel>(values[0], span, processes);
}

}  // namespace heist::lab
