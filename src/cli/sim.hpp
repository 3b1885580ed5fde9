// What `heist sim` found for one number of processors, over its seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/row_output.hpp"
#include "lab/model/serial.hpp"
#include "report/columns.hpp"
#include "report/statistics.hpp"

namespace heist::cli {

struct sim_row {
  std::uint32_t processors = 0;
  report::summary steps, attempts, steals, threads_stolen, wait, idle, resumed, space;
  // With stealing, else empty: at most Smax for each thread that was stolen, and for each one that
  // a thread on another processor enabled.
  report::summary communication;
  std::uint64_t peak_space = 0, peak_queue = 0;  // of all seeds
  lab::run_result last;                          // of the last seed

  [[nodiscard]] double speedup(const lab::measures& of) const {
    return static_cast<double>(of.work) / steps.mean;
  }
  // T1/P + Tinf
  [[nodiscard]] double bound(const lab::measures& of) const {
    return static_cast<double>(of.work) / processors + static_cast<double>(of.span);
  }
};

// Chance plays a part only where thieves choose.
[[nodiscard]] inline bool has_chance(const lab::run_settings& settings) {
  using enum lab::scheduler_kind;
  return settings.scheduler == work_stealing || settings.scheduler == child_stealing;
}

// The columns of the rows, and what each format shows of them. Both arguments must outlive the
// columns.
[[nodiscard]] report::columns<sim_row> sim_columns(const step_request& request,
                                                   const lab::measures& of);
[[nodiscard]] row_views sim_views();
[[nodiscard]] report::view sim_page_view(const step_request& request);

// Half the interval of the mean, in per cent of it; "-" for a single value.
[[nodiscard]] std::string relative_error(const report::summary& of);

int simulate_steps(const step_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
