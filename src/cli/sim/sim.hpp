// The results of `heist sim` for one number of processors, over all seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/row_output.hpp"
#include "cli/sim/sim_request.hpp"
#include "lab/model/serial.hpp"
#include "report/columns.hpp"
#include "report/statistics.hpp"

namespace heist::cli {

struct sim_row {
  std::uint32_t processors = 0;
  report::summary steps, attempts, steals, threads_stolen, wait, idle, resumed, space;
  // Threads that were stolen, or given away, or that a thread on another processor enabled.
  report::summary moved;
  report::summary communication;                      // at most Smax for each of those
  std::vector<double> sorted_steps, sorted_attempts;  // of all seeds
  std::uint64_t peak_space = 0, peak_queue = 0;       // of all seeds
  lab::run_result last;                               // of the last seed

  [[nodiscard]] double speedup(const lab::measures& of) const {
    return static_cast<double>(of.work) / steps.mean;
  }
  // T1/P + Tinf
  [[nodiscard]] double bound(const lab::measures& of) const {
    return static_cast<double>(of.work) / processors + static_cast<double>(of.span);
  }
};

[[nodiscard]] inline bool has_thieves(const lab::run_settings& settings) {
  using enum lab::scheduler_kind;
  return settings.scheduler == work_stealing || settings.scheduler == child_stealing;
}
[[nodiscard]] inline bool has_chance(const lab::run_settings& settings) {
  return has_thieves(settings) || settings.scheduler == lab::scheduler_kind::work_sharing;
}

// The columns of the rows, and the views of each format. Both arguments must outlive the columns.
[[nodiscard]] report::columns<sim_row> sim_columns(const step_request& request,
                                                   const lab::measures& of);
[[nodiscard]] row_views sim_views(sim_columns_shown shown);
[[nodiscard]] report::view sim_page_view(const step_request& request);

// One end of the mean's interval; empty for a single value.
[[nodiscard]] report::value end_of_interval(const report::summary& of,
                                            double report::interval::*end);

// The columns of space for rows with `processors` and `peak_space`. `of` must outlive them.
template <class Row>
std::vector<report::column<Row>> space_columns(const lab::measures& of) {
  using report::value;
  const auto bound = [&of](const Row& r) { return std::uint64_t{of.stack_depth} * r.processors; };
  const auto share = [bound](const Row& r) {
    return value(static_cast<double>(r.peak_space) / static_cast<double>(bound(r)));
  };
  return {{"peak_space", "S", [](const Row& r) { return value(r.peak_space); }, 11},
          {"space_bound", "S1 P", [bound](const Row& r) { return value(bound(r)); }},
          {"space_share", "S/(S1 P)", share, 12, {.digits = 4}}};
}

// Half the width of the mean's interval, in per cent of the mean; "-" for a single value.
[[nodiscard]] std::string relative_error(const report::summary& of);

int simulate_steps(const step_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
