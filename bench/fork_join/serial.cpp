#include "bench/fork_join/fib.hpp"

namespace heist::bench::serial {

std::size_t fib(std::size_t n) {
  if (n < 2) return n;
  return fib(n - 1) + fib(n - 2);
}

}  // namespace heist::bench::serial
