// The arguments of `heist lab`.
#pragma once

#include "cli/lab/lab.hpp"
#include "cli/program.hpp"

namespace heist::cli {

[[nodiscard]] reader<lab_request> add_lab(arguments& own);

}  // namespace heist::cli
