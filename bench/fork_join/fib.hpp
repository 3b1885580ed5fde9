// The same recursion for every contestant: a call that is not a leaf forks its first half and waits
// for it. Each is in a source file of its own, so that the compiler never sees two at the same
// time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heist::bench {

namespace serial {
[[gnu::noinline]] std::size_t fib(std::size_t n);
// The compiler makes every call: no loop in place of the second one, and no copy of the function in
// itself. Both nearly halve the time of the plain recursion, and say nothing about forks.
[[gnu::noinline]] std::size_t fib_by_calls(std::size_t n);
}  // namespace serial

namespace forked {
// Runs on the calling worker's pool.
[[gnu::noinline]] std::size_t fib(std::size_t n);
[[gnu::noinline]] std::size_t fib_lazily(std::size_t n);
}  // namespace forked

// A rival runs on as many threads as it is told. If it is not built in, its functions return 0.
namespace onetbb {
[[nodiscard]] bool is_built_in();
[[nodiscard]] std::size_t fib_by_task_group(std::size_t n, unsigned threads);
[[nodiscard]] std::size_t fib_by_parallel_invoke(std::size_t n, unsigned threads);
}  // namespace onetbb

namespace openmp {
[[nodiscard]] bool is_built_in();
[[nodiscard]] std::size_t fib_by_tasks(std::size_t n, unsigned threads);
}  // namespace openmp

// Computes the expected result by additions. fib(n) makes fib_by_addition(n + 1) - 1 forks.
[[nodiscard]] constexpr std::uint64_t fib_by_addition(std::uint64_t n) {
  std::uint64_t a = 0;
  std::uint64_t b = 1;
  for (; n > 0; --n) {
    const std::uint64_t c = a + b;
    a = b;
    b = c;
  }
  return a;
}
[[nodiscard]] constexpr std::uint64_t forks_of_fib(std::uint64_t n) {
  return fib_by_addition(n + 1) - 1;
}

}  // namespace heist::bench
