// Checks whether a pool works by a little work of every kind with known results.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "heist/heist.hpp"

namespace heist_test {

// Returns true if every result was right. Throws if the system has refused something.
inline bool works(heist::pool& pool) {
  return pool.run([&pool] {
    struct numbers {
      static long fib(int n) {
        if (n < 2) return n;
        const auto [a, b] =
            heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
        return a + b;
      }
    };
    if (numbers::fib(14) != 377) return false;
    std::atomic<int> calls{0};
    heist::scope([&](heist::task_scope& s) {
      for (int i = 0; i < 20; ++i) s.spawn([&] { ++calls; });
    });
    heist::parallel_for(0, 1000, [&](int) { ++calls; });
    heist::mutex m;
    heist::fork_join(
        [&] {
          const std::lock_guard hold(m);
          ++calls;
        },
        [&] {
          const std::lock_guard hold(m);
          ++calls;
        });
    heist::blocking([&] { ++calls; });
    auto late = pool.submit([&] { ++calls; });
    try {
      static_cast<void>(late.wait_for(std::chrono::microseconds(200)));
    } catch (...) {  // no thread for alarms; the function may still use `calls`
      late.get();
      throw;
    }
    late.get();
    return calls == 1024;
  });
}

}  // namespace heist_test
