#include "cli/sim_kernel.hpp"

#include <vector>

#include <fmt/format.h>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "lab/table.hpp"

namespace heist::cli {

namespace {

kernel_row run_row(const sim_request& request, std::uint32_t processes, const lab::measures& of,
                   lab::computation& computation, progress& line) {
  kernel_row row;
  row.processes = processes;
  std::vector<double> steps, average, ratio, steal, steals;
  auto settings = request.kernel;
  settings.processes = processes;
  for (std::uint64_t i = 0; i < request.seeds; ++i) {
    line.show(
        fmt::format("{}: P = {}, seed {} of {}", request.dag, processes, i + 1, request.seeds));
    settings.seed = request.settings.seed + i;
    const auto result = computation.run_under_kernel(settings);
    if (!result.is_finished) {
      ++row.unfinished;
      continue;
    }
    steps.push_back(static_cast<double>(result.run.steps));
    average.push_back(result.processor_average());
    ratio.push_back(static_cast<double>(result.run.steps) / result.bound(of.work, of.span));
    steal.push_back(static_cast<double>(result.run.steal));
    steals.push_back(static_cast<double>(result.run.steals));
  }
  line.clear();
  row.steps = lab::summarize(steps);
  row.processor_average = lab::summarize(average);
  row.ratio = lab::summarize(ratio);
  row.steal = lab::summarize(steal);
  row.steals = lab::summarize(steals);
  return row;
}

const std::vector<std::string> columns = {
    "processes",         "seeds",          "unfinished", "steps",
    "processor_average", "steps_to_bound", "steals",     "attempts"};

std::vector<std::string> cells(const kernel_row& row) {
  const auto mean = [&row](const lab::summary& of) {
    return row.steps.count == 0 ? std::string() : fmt::format("{:.10g}", of.mean);
  };
  return {std::to_string(row.processes),
          std::to_string(row.steps.count + row.unfinished),
          std::to_string(row.unfinished),
          mean(row.steps),
          mean(row.processor_average),
          mean(row.ratio),
          mean(row.steals),
          mean(row.steal)};
}

void print(const sim_request& request, const lab::measures& of, const kernel_row& row,
           output& out) {
  if (request.form == sim_form::json) {
    out.print("{}\n", to_json(request, of, row));
  } else if (request.form == sim_form::csv) {
    const auto with_head = lab::to_csv({"", columns, {cells(row)}});
    out.print("{}", with_head.substr(with_head.find('\n') + 1));
  } else if (row.steps.count == 0) {
    out.print("{:>8}   no run comes to an end: given up after {} steps without progress\n",
              row.processes, request.kernel.patience);
  } else {
    out.print("{:>8}{:>14.0f}{:>10.2f}{:>12.3f}{:>13.0f}{:>14.0f}", row.processes, row.steps.mean,
              row.processor_average.mean, row.ratio.mean, row.steals.mean, row.steal.mean);
    if (row.unfinished > 0) out.print("   {} of {} given up", row.unfinished, request.seeds);
    out.print("\n");
  }
  out.flush();
}

}  // namespace

int simulate_under_kernel(const sim_request& request, lab::computation& computation, output& out,
                          std::FILE* err) {
  const auto of = computation.measure();
  for (const auto processes :
       request.processors)  // so that a mistake is told before anything is printed
    (void)lab::make_kernel(request.kernel.kernel, processes, of.span, request.settings.seed);
  if (request.form == sim_form::csv) out.print("{}", lab::to_csv({"", columns, {}}));
  if (request.form == sim_form::text) {
    const bool is_greedy = request.kernel.scheduler == lab::user_scheduler::greedy;
    out.print("{}: T1 {}, Tinf {}, parallelism {:.1f}\n", request.dag, of.work, of.span,
              of.parallelism());
    out.print("{} under the kernel {}{}, mean of {} seeds; bound: T1/PA + Tinf P/PA\n",
              is_greedy ? "greedy" : "abp", request.kernel.kernel,
              is_greedy ? "" : fmt::format(", yields: {}", to_string(request.kernel.yield)),
              request.seeds);
    out.print("{:>8}{:>14}{:>10}{:>12}{:>13}{:>14}\n", "P", "T", "PA", "T/bound", "steals",
              "attempts");
  }
  out.flush();
  progress line(err);
  for (const auto processes : request.processors)
    print(request, of, run_row(request, processes, of, computation, line), out);
  return success;
}

}  // namespace heist::cli
