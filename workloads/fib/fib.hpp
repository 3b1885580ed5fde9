// The naive Fibonacci recursion: nothing but forks, so that its time is the price of a fork. Both
// forms are kept out of line, as the price is stated against the same function of the same
// compiler.

#pragma once

#include <cstdint>

#include <heist/fork_join.hpp>

namespace heist::workloads {

[[gnu::noinline]] std::uint64_t fib_serial(std::uint64_t n);
[[gnu::noinline]] std::uint64_t fib(std::uint64_t n);

}  // namespace heist::workloads
