// The program that scripts/check-fast-path disassembles: a recursion that only forks, on one
// worker, so that no fork is stolen. For the check's own test, PLANT adds an instruction that the
// check must find.
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <heist/heist.hpp>

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
  return pool.run([] { return fib(24); }) == 46368 ? EXIT_SUCCESS : EXIT_FAILURE;
}
