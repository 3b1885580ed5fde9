// What rank 0 prints.
#pragma once

#include <cstdio>

#include <heist/cluster/context.hpp>

#include "cluster/command/programs.hpp"

namespace heist::cluster_command {

void print_text(const cluster::context& in, const outcome& result, double seconds, std::FILE* out);
void print_json(const cluster::context& in, const outcome& result, double seconds, std::FILE* out);

}  // namespace heist::cluster_command
