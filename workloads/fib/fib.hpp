// The naive Fibonacci recursion does nothing but fork, so its time is the cost of forks. Both forms
// are kept out of line, because the cost is stated relative to the same function by the same
// compiler.

#pragma once

#include <cstdint>

#include <heist/fork_join.hpp>

namespace heist::workloads {

[[gnu::noinline]] std::uint64_t fib_serial(std::uint64_t n);
[[gnu::noinline]] std::uint64_t fib(std::uint64_t n);

}  // namespace heist::workloads
