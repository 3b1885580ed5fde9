// The tests of this folder share the pools that they run on.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "heist/fork_join.hpp"
#include "tests/unit/runtime/on_pools.hpp"

namespace heist_test {

inline std::vector<setting> pools() {
  std::vector<setting> all;
  for (const unsigned workers : {1U, 2U, 3U, 8U, 32U}) all.push_back({workers});
  for (const unsigned workers : {1U, 3U})
    all.push_back({.workers = workers, .join = heist::join_kind::stalling});
  for (const heist::deque_kind deque :
       {heist::deque_kind::locked, heist::deque_kind::chase_lev, heist::deque_kind::abp,
        heist::deque_kind::bounded_ring, heist::deque_kind::steal_half})
    all.push_back({3, deque});
  return all;
}

// The draws of a node of a random tree.
inline int random_children(std::minstd_rand& random, int depth) {
  return depth == 0 ? 0 : static_cast<int>(random() % 5);
}

// The number of nodes of such a tree: each node draws from its seed the number of its children,
// then for each child a seed and a given number of values for other purposes.
inline long random_tree_size(unsigned seed, int depth, unsigned others) {
  std::minstd_rand random(seed);
  const int children = random_children(random, depth);
  long n = 1;
  for (int i = 0; i < children; ++i) {
    n += random_tree_size(static_cast<unsigned>(random()), depth - 1, others);
    random.discard(others);
  }
  return n;
}

// Calls f for all leaves of a binary tree of forks.
template <class F>
void fork_tree(int depth, const F& f) {
  if (depth == 0) return f();
  heist::fork_join([&, depth] { fork_tree(depth - 1, f); },
                   [&, depth] { fork_tree(depth - 1, f); });
}

}  // namespace heist_test
