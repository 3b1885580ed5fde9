// Ends with 0 if forks on the installed library give the right number.
#include <heist/heist.hpp>

namespace {

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

}  // namespace

int main() { return fib(20) == 6765 ? 0 : 1; }
