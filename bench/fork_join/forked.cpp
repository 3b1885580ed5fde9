#include <heist/fork_join.hpp>

#include "bench/fork_join/fib.hpp"

namespace heist::bench::forked {

std::size_t fib(std::size_t n) {
  if (n < 2) return n;
  auto [a, b] = fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

std::size_t fib_lazily(std::size_t n) {
  if (n < 2) return n;
  auto [a, b] =
      fork_join_lazily([=] { return fib_lazily(n - 1); }, [=] { return fib_lazily(n - 2); });
  return a + b;
}

}  // namespace heist::bench::forked
