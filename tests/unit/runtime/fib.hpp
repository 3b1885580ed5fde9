// A program that only forks.
#pragma once

#include "heist/fork_join.hpp"

namespace heist_test {

inline long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

}  // namespace heist_test
