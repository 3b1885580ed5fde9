// What `heist sim` found for one number of processors, over its seeds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "lab/model/serial.hpp"
#include "report/statistics.hpp"

namespace heist::cli {

struct sim_row {
  std::uint32_t processors = 0;
  report::summary steps, attempts, steals, threads_stolen, wait, idle, resumed, space;
  // With stealing, else empty: at most Smax for each thread that was stolen, and for each that one on another processor enabled.
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

[[nodiscard]] std::string to_json(const sim_request& request, const lab::measures& of,
                                  const sim_row& row);

}  // namespace heist::cli
