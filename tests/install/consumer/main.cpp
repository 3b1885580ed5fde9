// A program outside heist's tree that knows the installed package only.

#include <cstdio>
#include <cstring>

#include <heist/heist.hpp>
#include <heist/version.hpp>

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main() {
  if (std::strcmp(HEIST_VERSION_STRING, EXPECTED_VERSION) != 0) {
    std::fprintf(stderr, "version %s, expected %s\n", HEIST_VERSION_STRING, EXPECTED_VERSION);
    return 1;
  }
  const long result = fib(25);
  std::printf("fib(25) = %ld\n", result);
  return result == 75025 ? 0 : 1;
}
