// The contestants of heist bench scope, in a source of their own: on the calling worker's pool.
#pragma once

#include <cstddef>
#include <cstdint>

#include <heist/config.hpp>

namespace heist::bench::spawned {

// A scope in every call that isn't a leaf, with its first half spawned.
[[gnu::noinline]] std::size_t fib(std::size_t n);
[[gnu::noinline]] std::size_t fib_by_children(std::size_t n);

// n functions that do nothing but count, each spawned by one loop, or forked beside another.
std::uint64_t loop_of_spawns(std::uint64_t n, spawn_kind kind);
std::uint64_t loop_of_forks(std::uint64_t n);

}  // namespace heist::bench::spawned
