// heist sim with --costs: work stealing with the costs that operations have on some machine.
#pragma once

#include <cstdio>

#include "cli/lab/sim_request.hpp"
#include "cli/output.hpp"

namespace heist::cli {

int simulate_with_costs(const timed_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
