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

}  // namespace heist::cluster_command
