#include "bench/fork_join/fib.hpp"

namespace heist::bench::serial {

std::size_t fib(std::size_t n) {
  if (n < 2) return n;
  return fib(n - 1) + fib(n - 2);
}

std::size_t fib_by_calls(std::size_t n) {
  if (n < 2) return n;
  const std::size_t a = fib_by_calls(n - 1);
  std::size_t b = fib_by_calls(n - 2);
  asm volatile("" : "+r"(b));
  return a + b;
}

}  // namespace heist::bench::serial
