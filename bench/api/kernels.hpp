// The same few loops and algorithms in the terms of each library, each in a source file of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <heist/pool.hpp>

namespace heist::bench::api {

// How long OpenMP's threads spin after a parallel region, with a margin: 200 ms in clang's library.
// In g++'s they spin for some milliseconds, for which the pause between turns is long enough.
#if defined(__clang__)
inline constexpr std::chrono::milliseconds openmp_spins{250};
#else
inline constexpr std::chrono::milliseconds openmp_spins{0};
#endif

// The number of iterations of the tiny loop.
inline constexpr std::size_t tiny_size = 100;

// The earlier tasks on which a task of a graph depends; those of the first task are not read.
struct dependencies {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};

// A graph of tasks; task i only sets ran[i].
class graph_program {
 public:
  virtual ~graph_program() = default;
  // The first call makes the graph: in some libraries a graph belongs to the threads that are
  // active.
  virtual void run() = 0;
};

// The functions of one library. An empty function means that the library has no such feature.
struct kernels {
  std::string name;
  // Runs a function in such a way that the other functions, called from it, use that many threads.
  std::function<void(unsigned threads, const std::function<void()>& function)> within;

  void (*axpy)(float a, const float* x, float* y, std::size_t n) = nullptr;
  // out[i] = steps(i, n)
  void (*uneven)(std::uint64_t* out, std::size_t n) = nullptr;
  // axpy of the first tiny_size elements, repeated that many times
  void (*tiny)(float a, const float* x, float* y, std::size_t times) = nullptr;
  double (*reduce)(const double* x, std::size_t n) = nullptr;
  void (*scan)(const std::int64_t* x, std::int64_t* out, std::size_t n) = nullptr;
  void (*sort)(std::int64_t* x, std::size_t n) = nullptr;
  // out[1 + i] = the mean of in[i], in[1 + i] and in[2 + i]
  void (*stencil)(const float* in, float* out, std::size_t n) = nullptr;
  // out[i] = opaque_body(i)
  void (*opaque)(std::uint64_t* out, std::size_t n) = nullptr;
  // out[i] = chain(i, length)
  void (*chains)(std::uint64_t* out, std::size_t n, std::size_t length) = nullptr;
  // The arguments outlive the graph.
  std::unique_ptr<graph_program> (*graph)(const std::vector<dependencies>& of,
                                          std::uint8_t* ran) = nullptr;

  // How long its threads continue to spin when there is nothing left to do.
  std::chrono::milliseconds spins{0};
};

[[nodiscard]] kernels serial();
// heist runs on the one of these pools that has as many workers as there shall be threads.
[[nodiscard]] kernels ours(std::vector<pool*> pools);
// Nothing if the library is not built in.
[[nodiscard]] std::vector<kernels> onetbb();
[[nodiscard]] std::vector<kernels> openmp();
[[nodiscard]] std::vector<kernels> gnu_parallel();

// Each step depends on the one before it.
[[nodiscard]] inline std::uint64_t chain(std::uint64_t x, std::size_t length) {
  for (std::size_t k = length; k > 0; --k) x = x * 6364136223846793005U + 1442695040888963407U;
  return x;
}

// The compiler cannot see the body of this function where it is called.
[[nodiscard]] std::uint64_t opaque_body(std::size_t i);

// An iteration whose cost grows from nothing to 200 steps of a chain over the range.
[[nodiscard]] inline std::uint64_t steps(std::size_t i, std::size_t n) {
  return chain(i, 200 * i / n);
}

}  // namespace heist::bench::api
