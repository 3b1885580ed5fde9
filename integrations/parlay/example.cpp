// A program for ParlayLib's interface: primes below n, each worker with a count of its own.
#include <cstdio>
#include <numeric>
#include <vector>

#include <heist/integrations/parlay.hpp>

namespace {

bool is_prime(std::size_t n) {
  for (std::size_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

struct alignas(64) count {
  std::size_t primes = 0;
};

}  // namespace

int main() {
  std::vector<count> counts(parlay::num_workers());
  parlay::parallel_for(
      0, 1'000'000, [&](std::size_t i) { counts[parlay::worker_id()].primes += is_prime(i); }, 100);
  const std::size_t primes =
      std::accumulate(counts.begin(), counts.end(), std::size_t{0},
                      [](std::size_t sum, const count& c) { return sum + c.primes; });
  std::printf("%zu primes below a million\n", primes);
}
