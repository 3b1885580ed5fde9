// The program that scripts/check-fast-path disassembles: a recursion that only forks, on one
// worker, so that no fork is stolen. For the check's own test, PLANT adds an instruction that the
// check must find.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <heist/heist.hpp>

// scripts/check-fast-path knows the fields by these offsets.
using heist::detail::control;
static_assert(offsetof(control, head) == 0x00 && offsetof(control, seat) == 0x08);
static_assert(offsetof(control, word) == 0x80 && offsetof(control, limit) == 0x90);
static_assert(heist::deque::wide_word<control::state>::high_offset == 0x08);

#ifndef FIB
#define FIB 24
#endif
#ifndef PLANT
#define PLANT static_cast<void>(0)
#endif

std::atomic<long> planted_counter{0};
volatile long planted_value = 0;
void* volatile planted_memory = nullptr;
void (*volatile planted_call)() = [] {};

extern "C" [[gnu::noinline]] unsigned long fib(unsigned long n) {
  if (n < 2) return n;
  PLANT;
  auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main() {
  heist::pool pool({.workers = 1});
  unsigned long expected = 0;
  for (unsigned long i = 0, next = 1; i < FIB; ++i) next += std::exchange(expected, next);
  return pool.run([] { return fib(FIB); }) == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
