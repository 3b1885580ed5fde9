// The arguments of `heist top`.
#pragma once

#include "cli/program.hpp"
#include "cli/top.hpp"

namespace heist::cli {

[[nodiscard]] reader<top_request> add_top(arguments& own);

}  // namespace heist::cli
