// What heist-cluster is asked for, from its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <heist/cluster/context.hpp>

#include "workloads/uts/tree.hpp"

namespace heist::cluster_command {

struct uts_request {
  const workloads::sample_tree* sample = nullptr;
};

struct nqueens_request {
  unsigned queens = 16;
};

struct knapsack_request {
  std::size_t items = 34;
  std::int64_t spread = 25;
  std::uint64_t seed = 1;
};

struct wordcount_request {
  std::vector<std::string> files;
  std::size_t top = 5;  // how many of the most frequent words are shown
};

struct text_request {
  std::string text;
};

struct run_request {
  std::variant<uts_request, nqueens_request, knapsack_request, wordcount_request> program;
  cluster::settings how;
  bool json = false;
};

// Throws usage_error, with a message of one line, for arguments that make no request.
[[nodiscard]] std::variant<text_request, run_request> parse(int argc, const char* const* argv);

}  // namespace heist::cluster_command
