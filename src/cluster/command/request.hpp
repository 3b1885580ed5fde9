// What heist-cluster is asked for, from its arguments.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include <heist/cluster/context.hpp>

#include "workloads/uts/tree.hpp"

namespace heist::cluster_command {

struct uts_request {
  const workloads::sample_tree* sample = nullptr;
};

struct text_request {
  std::string text;
};

struct run_request {
  std::variant<uts_request> program;
  cluster::settings how;
  bool json = false;
};

// Throws usage_error, with a message of one line, for arguments that make no request.
[[nodiscard]] std::variant<text_request, run_request> parse(int argc, const char* const* argv);

}  // namespace heist::cluster_command
