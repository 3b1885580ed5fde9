// The commands of heist-lab, which have a file each. Each returns an exit code, and throws heist's
// errors.
#pragma once

#include <cstdio>

#include "cli/lab/lab.hpp"
#include "cli/lab/sim_request.hpp"
#include "cli/lab/theory.hpp"
#include "cli/output.hpp"

namespace heist::cli {

int simulate(const sim_request& request, output& out, std::FILE* err);
int theory(const theory_request& request, output& out, std::FILE* err);
int calibrate(const calibrate_request& request, output& out, std::FILE* err);
int forecast(const forecast_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
