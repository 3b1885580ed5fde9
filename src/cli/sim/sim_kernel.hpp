// heist sim under a kernel: processes that run on fewer processors.
#pragma once

#include <cstdint>
#include <string>

#include "cli/output.hpp"
#include "cli/sim/sim_request.hpp"
#include "lab/model/serial.hpp"
#include "report/statistics.hpp"

namespace heist::cli {

struct kernel_row {
  std::uint32_t processes = 0;
  report::summary steps, processor_average, ratio, attempts, steals, spins;  // of finished runs
  std::uint64_t unfinished = 0;  // given up: no progress
};

int simulate_under_kernel(const kernel_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
