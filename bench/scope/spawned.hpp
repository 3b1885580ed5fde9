// The contestants of heist bench scope, in a source file of their own. They run on the calling
// worker's pool.
#pragma once

#include <cstddef>
#include <cstdint>

#include <heist/config.hpp>

namespace heist::bench::spawned {

// Every call that is not a leaf opens a scope and spawns its first half.
[[gnu::noinline]] std::size_t fib(std::size_t n);
[[gnu::noinline]] std::size_t fib_by_children(std::size_t n);

// Runs n functions that only count, spawned by one loop, or forked in pairs.
std::uint64_t loop_of_spawns(std::uint64_t n, spawn_kind kind);
// The same with a scope for each ten of them.
std::uint64_t loop_of_scopes(std::uint64_t n, spawn_kind kind);
std::uint64_t loop_of_forks(std::uint64_t n);

}  // namespace heist::bench::spawned
