// The programs that heist-cluster runs.
#pragma once

#include <optional>
#include <string>

#include <heist/cluster/context.hpp>

#include "cluster/command/request.hpp"

namespace heist::cluster_command {

// Of a run; complete on rank 0 only.
struct outcome {
  std::string name;  // of what was run
  std::string text;  // the result, in a line
  std::string item;  // what the ranks have counted: "nodes"
  std::optional<std::string> mistake = {};
};

[[nodiscard]] outcome run_uts(cluster::context& in, const uts_request& request);
[[nodiscard]] outcome run_nqueens(cluster::context& in, const nqueens_request& request);
[[nodiscard]] outcome run_knapsack(cluster::context& in, const knapsack_request& request);
// Throws resource_error for a file that can't be read or is no text, on the rank where it is so.
[[nodiscard]] outcome run_wordcount(cluster::context& in, const wordcount_request& request);

}  // namespace heist::cluster_command
