#include "lab/experiments/kernel_study.hpp"

#include <set>

#include <fmt/format.h>

#include "lab/catalog/kernels.hpp"
#include "lab/catalog/spec.hpp"

namespace heist::lab {

namespace {

std::string knowledge_of(const std::string& kernel) {
  const spec word(kernel);
  for (const auto& each : kernels())
    if (each.name == word.name()) return std::string(each.knows);
  return "";  // make_kernel() will say that there is none
}

yield_policy needed_against(const std::string& knows) {
  if (knows == "adaptive") return yield_policy::to_all;
  return knows == "oblivious" ? yield_policy::to_random : yield_policy::none;
}

}  // namespace

std::vector<std::string> kernel_words(std::uint32_t processes, std::uint32_t given,
                                      std::uint64_t span) {
  std::vector<std::string> words = {"dedicated"};
  for (const auto& each : kernels()) {
    if (each.name == "dedicated" || each.name == "lower-bound") continue;
    if (each.name == "starve-first" && processes < 2) continue;
    words.push_back(fmt::format("{}:{}", each.name, given));
  }
  // PA' = Tinf P / (k + Tinf).
  words.push_back(fmt::format("lower-bound:{}", span * (processes - given) / given));
  return words;
}

kernel_study_row study_kernel(computation& program, const measures& measured,
                              const kernel_study_setup& setup, const std::string& kernel,
                              yield_policy yield, std::uint32_t processes) {
  kernel_study_row row;
  row.kernel = kernel;
  row.knows = knowledge_of(kernel);
  row.yield = yield;
  row.suffices = yield >= needed_against(row.knows);
  row.processes = processes;
  kernel_settings settings;
  settings.kernel = kernel;
  settings.processes = processes;
  settings.yield = yield;
  settings.patience = setup.patience;
  for (std::uint64_t i = 0; i < setup.seeds; ++i) {
    settings.seed = setup.seed + i;
    const auto result = program.run_under_kernel(settings);
    if (!result.is_finished) {
      ++row.given_up;
      continue;
    }
    const auto time = static_cast<double>(result.run.steps);
    const double given = result.processor_average();
    row.steps.add(time);
    row.average.add(given);
    row.ratio.add(time / result.bound(measured.work, measured.span));
    row.runs.push_back({static_cast<double>(measured.work) / given,
                        static_cast<double>(measured.span) * processes / given, time});
  }
  return row;
}

std::optional<time_fit> fit_kernel_study(const std::vector<kernel_study_row>& rows) {
  std::vector<fitted_run> runs;
  std::set<std::uint32_t> processes;
  for (const auto& row : rows) {
    if (!row.suffices || !row.has_ended()) continue;
    processes.insert(row.processes);
    runs.insert(runs.end(), row.runs.begin(), row.runs.end());
  }
  if (processes.size() < 2) return std::nullopt;
  return fit_times(runs);
}

}  // namespace heist::lab
