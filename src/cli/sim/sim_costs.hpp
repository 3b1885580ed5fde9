// heist sim with --costs: work stealing with the costs that operations have on some machine.
#pragma once

#include <cstdio>

#include "cli/output.hpp"
#include "cli/sim/sim_request.hpp"

namespace heist::cli {

int simulate_with_costs(const timed_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
