// Integers of 128 bits, which compilers treat as integers with -std=gnu++20, as results of forked
// functions and as elements. A test compiles and runs this program with every installed compiler.
#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/heist.hpp"

namespace {

static_assert(std::is_integral_v<__int128>, "compile with -std=gnu++20");

constexpr __int128 high = __int128{1} << 100;

// The left function returns high + fib(n), the right one fib(n): the first results of both forms
// are wider than a register.
template <class T>
T fib(T n) {
  if (n < 2) return n;
  const auto [a, b] = heist::fork_join([n]() -> T { return fib<T>(n - 1) + static_cast<T>(high); },
                                       [n]() -> T { return fib<T>(n - 2); });
  return a - static_cast<T>(high) + b;
}

template <class T>
bool forks_right() {
  heist::pool pool({.workers = 4});
  for (int round = 0; round < 20; ++round)
    if (pool.run([] { return fib<T>(18); }) != 2584) return false;
  // One result that cannot be stolen, and one beside a smaller result.
  const auto [wide, narrow] =
      heist::fork_join([] { return static_cast<T>(high); }, [] { return 3; });
  return wide == static_cast<T>(high) && narrow == 3;
}

}  // namespace

int main() {
  if (!forks_right<__int128>() || !forks_right<unsigned __int128>()) {
    std::puts("a result of 128 bits came out wrong");
    return 1;
  }
  const std::vector<__int128> elements(1000, high + 5);
  if (heist::reduce(elements) != 1000 * (high + 5)) {
    std::puts("a sum of 128 bits came out wrong");
    return 1;
  }
  return 0;
}
