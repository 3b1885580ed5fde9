// The tests of waits share these: pools to run on, and many fibers at once.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/on_pools.hpp"

namespace heist_test {

// Calls f(first) to f(last - 1), each in a fork of its own, so that any of them may wait for any
// other.
template <class F>
void fork_all(int first, int last, F& f) {
  if (last - first == 1) {
    f(first);
  } else if (first < last) {
    const int middle = first + (last - first) / 2;
    heist::fork_join([&] { fork_all(first, middle, f); }, [&] { fork_all(middle, last, f); });
  }
}

// The same with f(0) to f(inside - 1) in a pool and the others on threads of their own.
template <class F>
void run_mixed(heist::pool& pool, int inside, int outside, F f) {
  std::vector<std::thread> threads;
  for (int i = 0; i < outside; ++i) threads.emplace_back([&f, i, inside] { f(inside + i); });
  pool.run([&] { fork_all(0, inside, f); });
  for (std::thread& t : threads) t.join();
}

// The message of a misuse, or "none".
template <class F>
[[nodiscard]] std::string complaint_of(F&& f) {
  try {
    f();
  } catch (const heist::usage_error& e) {
    return e.what();
  }
  return "none";
}

inline std::vector<setting> few_pools() { return {{1}, {2}, {3}, {8}, {32}}; }

inline std::vector<setting> all_pools() {
  std::vector<setting> all;
  for (const unsigned workers : {1U, 2U, 8U})
    for (const heist::deque_kind deque : heist::all_deque_kinds) all.push_back({workers, deque});
  all.push_back({1, heist::deque_kind::split, heist::join_kind::stalling});
  all.push_back({3, heist::deque_kind::split, heist::join_kind::stalling});
  return all;
}

}  // namespace heist_test
