// The text after `heist sim --cluster`: keys and values, as in ranks=1000,latency=2us.
#pragma once

#include <string>
#include <string_view>

#include "cli/sim/sim_request.hpp"

namespace heist::cli {

// Throws usage_error, which names the key.
[[nodiscard]] sim_cluster_request parse_sim_cluster(const sim_task& task, std::string_view text);

// A line for each key, for the help.
[[nodiscard]] std::string sim_cluster_help();

}  // namespace heist::cli
