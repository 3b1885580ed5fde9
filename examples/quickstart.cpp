// The README's program: forks and joins in plain functions.
#include <cstdio>
#include <span>
#include <vector>

#include <heist/heist.hpp>

long sum(std::span<const int> v) {
  if (v.size() < 2000) {
    long s = 0;
    for (int x : v) s += x;
    return s;
  }
  auto [left, right] = heist::fork_join([=] { return sum(v.first(v.size() / 2)); },
                                        [=] { return sum(v.subspan(v.size() / 2)); });
  return left + right;
}

int main() {
  const std::vector<int> v(10'000'000, 3);
  std::printf("%ld\n", sum(v));  // in the default pool, on all processors

  heist::pool four({.workers = 4});
  std::printf("%ld\n", four.run([&] { return sum(v); }));  // in one of its own
}
