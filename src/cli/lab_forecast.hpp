// Real runs beside simulated ones, and simulated ones of machines that aren't there.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "bench/samples.hpp"
#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "report/statistics.hpp"

namespace heist::cli {

inline constexpr double agreement = 0.15;  // of a simulated time with the real one

// A program on so many workers of this machine, and in the lab.
struct checked_row {
  std::string program, dag;
  std::uint32_t processors = 0;
  std::uint64_t forks = 0;
  double fork_ns = 0;
  double instruction_ns = 0;  // the serial time over T1
  double busy_factor = 1;     // of the program on one worker, beside others like it
  bench::samples real;        // seconds
  report::summary simulated;  // seconds, over seeds
  bench::samples ratios;      // of the simulated time to the real one, by rounds

  [[nodiscard]] double difference() const { return ratios.median() - 1; }
  [[nodiscard]] bool agrees() const {
    return difference() <= agreement && difference() >= -agreement;
  }
};

struct forecast_row {
  std::string program, dag;
  std::uint32_t processors = 0;
  double instruction_ns = 0;
  double serial_s = 0;
  report::summary seconds;
  double work_share = 0, overhead_share = 0, asleep_share = 0;  // means
  double steals = 0;

  [[nodiscard]] double speedup() const { return serial_s / seconds.mean; }
};

}  // namespace heist::cli
