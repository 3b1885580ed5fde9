#include "workloads/fib/fib.hpp"

#include <heist/fork_join.hpp>

namespace heist::workloads {

std::uint64_t fib_serial(std::uint64_t n) {
  if (n < 2) return n;
  return fib_serial(n - 1) + fib_serial(n - 2);
}

std::uint64_t fib(std::uint64_t n) {
  if (n < 2) return n;
  auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

}  // namespace heist::workloads
