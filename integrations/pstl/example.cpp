// A program of the standard library alone, whose parallel algorithms run on heist's workers:
//
//     g++ -std=c++20 -I PREFIX/include/heist/pstl example.cpp $(pkg-config --cflags --libs heist)
//
// HEIST_STATS=1 shows that they do.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <execution>
#include <numeric>
#include <random>
#include <vector>

int main() {
  constexpr std::size_t n = 1'000'000;
  std::vector<double> v(n);
  std::mt19937_64 random(1);
  for (double& x : v) x = static_cast<double>(random() % 1'000'000);

  const auto begin = std::chrono::steady_clock::now();
  std::for_each(std::execution::par_unseq, v.begin(), v.end(), [](double& x) { x = std::sqrt(x); });
  std::sort(std::execution::par, v.begin(), v.end());
  std::vector<double> sums(n);
  std::inclusive_scan(std::execution::par, v.begin(), v.end(), sums.begin());
  const double squares = std::transform_reduce(std::execution::par, v.begin(), v.end(), 0.0,
                                               std::plus{}, [](double x) { return x * x; });
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;

  std::printf("%zu numbers, in order: %d; mean root %.3f, mean square %.1f; %.1f ms\n", n,
              std::is_sorted(std::execution::par, v.begin(), v.end()), sums.back() / n, squares / n,
              took.count());
}
