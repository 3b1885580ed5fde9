// The arguments of `heist theory`.
#pragma once

#include "cli/lab/theory.hpp"
#include "cli/program.hpp"

namespace heist::cli {

[[nodiscard]] reader<theory_request> add_theory(arguments& own);

}  // namespace heist::cli
