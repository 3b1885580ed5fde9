// The same recursion for every contestant, each in a source of its own, so that no compiler sees two
// of them at once: a call that isn't a leaf forks its first half and waits for it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heist::bench {

namespace serial {
[[gnu::noinline]] std::size_t fib(std::size_t n);
}

namespace forked {
// On the calling worker's pool.
[[gnu::noinline]] std::size_t fib(std::size_t n);
}

// Rivals run on as many threads as they are told. Where one is not built in, its functions return 0.
namespace onetbb {
[[nodiscard]] bool is_built_in();
[[nodiscard]] std::size_t fib_by_task_group(std::size_t n, unsigned threads);
[[nodiscard]] std::size_t fib_by_parallel_invoke(std::size_t n, unsigned threads);
}  // namespace onetbb

namespace openmp {
[[nodiscard]] bool is_built_in();
[[nodiscard]] std::size_t fib_by_tasks(std::size_t n, unsigned threads);
}  // namespace openmp

// By addition: what everybody must say. Forks of fib(n): fib_by_addition(n + 1) - 1.
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
