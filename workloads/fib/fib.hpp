// The naive Fibonacci recursion does nothing but fork, so its time is the cost of forks. Both forms
// are kept out of line, because the cost is stated relative to the same function by the same
// compiler.

#pragma once

#include <cstdint>

namespace heist::workloads {

[[gnu::noinline]] std::uint64_t fib_serial(std::uint64_t n);
[[gnu::noinline]] std::uint64_t fib(std::uint64_t n);  // with heist::fork_join

// With another way of forking.
template <class Fork>
[[gnu::noinline]] std::uint64_t fib_with(std::uint64_t n, Fork fork) {
  if (n < 2) return n;
  auto [a, b] = fork([=] { return fib_with(n - 1, fork); }, [=] { return fib_with(n - 2, fork); });
  return a + b;
}

}  // namespace heist::workloads
