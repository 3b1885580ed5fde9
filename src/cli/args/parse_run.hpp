// The arguments of `heist run`.
#pragma once

#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace heist::cli {

[[nodiscard]] reader<run_request> add_run(arguments& own);

}  // namespace heist::cli
