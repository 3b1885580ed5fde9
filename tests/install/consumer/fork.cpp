// The smallest program that needs the library.

#include <heist/fork_join.hpp>

int main() {
  auto [a, b] = heist::fork_join([] { return 1; }, [] { return 2; });
  return a + b == 3 ? 0 : 1;
}
