// The same few loops and algorithms in the words of each library, each in a source of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <heist/pool.hpp>

namespace heist::bench::api {

// Iterations of the tiny loop.
inline constexpr std::size_t tiny_size = 100;

// What one library offers. A function that is empty: it has no such thing.
struct kernels {
  std::string name;
  // Runs a function so that the others, called from it, use that many threads.
  std::function<void(unsigned threads, const std::function<void()>& function)> within;

  void (*axpy)(float a, const float* x, float* y, std::size_t n) = nullptr;
  // out[i] = steps(i, n)
  void (*uneven)(std::uint64_t* out, std::size_t n) = nullptr;
  // axpy of the first tiny_size elements, so many times
  void (*tiny)(float a, const float* x, float* y, std::size_t times) = nullptr;
  double (*reduce)(const double* x, std::size_t n) = nullptr;
  void (*scan)(const std::int64_t* x, std::int64_t* out, std::size_t n) = nullptr;
  void (*sort)(std::int64_t* x, std::size_t n) = nullptr;
};

[[nodiscard]] kernels serial();
// On these pools: the one with as many workers as there shall be threads.
[[nodiscard]] kernels ours(std::vector<pool*> pools);
// None if they aren't built in.
[[nodiscard]] std::vector<kernels> onetbb();
[[nodiscard]] std::vector<kernels> openmp();
[[nodiscard]] std::vector<kernels> gnu_parallel();

// An iteration whose cost grows from nothing to 200 steps of a chain over the range.
[[nodiscard]] inline std::uint64_t steps(std::size_t i, std::size_t n) {
  std::uint64_t x = i;
  for (std::size_t k = 200 * i / n; k > 0; --k) x = x * 6364136223846793005U + 1442695040888963407U;
  return x;
}

}  // namespace heist::bench::api
