// skynet and n queens with a scope at every node, as programs are that have not two functions to
// call but any number. The forms with forks are those of workloads/. They run on the calling
// worker's pool.
#pragma once

#include <cstdint>

#include <heist/config.hpp>

namespace heist::bench::spawned {

// The sum of that many leaves; a node has ten children.
std::uint64_t skynet_by_forks(std::uint64_t leaves);
std::uint64_t skynet_by_spawns(std::uint64_t leaves, spawn_kind kind);

// The boards with n queens. The last seven rows are counted serially.
std::uint64_t queens_by_forks(unsigned n);
std::uint64_t queens_by_spawns(unsigned n, spawn_kind kind);
std::uint64_t queens_serially(unsigned n);

}  // namespace heist::bench::spawned
