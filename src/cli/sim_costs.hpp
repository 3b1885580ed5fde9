// heist sim with --costs: work stealing where every operation takes its time on some machine.
#pragma once

#include <cstdio>
#include <string>

#include "cli/commands.hpp"
#include "lab/experiments/timed_study.hpp"
#include "lab/model/serial.hpp"

namespace heist::cli {

int simulate_with_costs(const sim_request& request, lab::computation& computation, output& out,
                        std::FILE* err);

[[nodiscard]] std::string to_json(const sim_request& request, const lab::measures& of,
                                  const lab::cost_model& costs, const lab::timed_row& row);

}  // namespace heist::cli
