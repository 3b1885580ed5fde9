// A small program with every kind of switch between stacks, which debuggers and checkers observe:
// it forks, spawns, suspends, throws, and reuses stacks. Its exit status is 0 if all results are
// right.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "heist/heist.hpp"
#include "heist/sync/latch.hpp"

namespace {

long fib(long n) {
  if (n < 2) return n;
  const auto [a, b] = heist::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// Returns 0, with frames of many depths, so that a reused stack contains remains of earlier frames.
long nothing(std::size_t depth) {
  std::vector<char> heap(100 + depth, 1);
  volatile char frame[1000];
  std::memset(const_cast<char*>(frame), 1, sizeof frame);
  const long difference = heap[depth] - frame[depth];
  return depth == 0 ? difference : difference + nothing(depth - 1);
}

long spawned() {
  std::vector<long> results(40);
  heist::scope([&](heist::task_scope& s) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      s.spawn([&results, i] { results[i] = fib(static_cast<long>(i % 12)) + nothing(i); });
    }
  });
  long sum = 0;
  for (const long r : results) sum += r;
  return sum;
}

// Makes more fibers wait than there are workers.
long suspended(heist::pool& pool) {
  heist::latch all_there(20);
  std::vector<heist::future<long>> waiting;
  for (long i = 0; i < 20; ++i) {
    waiting.push_back(pool.submit([&all_there, i] {
      all_there.arrive_and_wait();
      return fib(i % 10);
    }));
  }
  long sum = 0;
  for (auto& w : waiting) sum += w.get();
  return sum;
}

bool throws() {
  try {
    heist::fork_join([] { return fib(10); },
                     []() -> long {
                       heist::fork_join([] { fib(8); }, [] { throw std::runtime_error("right"); });
                       return 0;
                     });
  } catch (const std::runtime_error& e) {
    return std::string(e.what()) == "right";
  }
  return false;
}

}  // namespace

int main() {
  for (int round = 0; round < 5; ++round) {
    // In every other round the stacks are so close to each other that a switch looks like a large
    // frame.
    heist::pool pool(round % 2 == 0 ? heist::pool_config{.workers = 3}
                                    : heist::pool_config{
                                          .workers = 3, .stack_size = 64 * 1024, .fork_depth = 64});
    const bool right = pool.run([] { return fib(16); }) == 987 && pool.run(spawned) == 700 &&
                       suspended(pool) == 176 && pool.run(throws);
    if (!right) {
      std::fputs("a result came out wrong\n", stderr);
      return 1;
    }
  }
  return 0;
}
