// The arguments of `heist sim`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/lab/sim_request.hpp"
#include "cli/program.hpp"

namespace heist::cli {

[[nodiscard]] reader<sim_request> add_sim(arguments& own);

// "1..1024" (doubling), "1,2,12", or both.
[[nodiscard]] std::vector<std::uint32_t> parse_processors(const std::string& text);

}  // namespace heist::cli
