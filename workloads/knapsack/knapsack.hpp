// The 0/1 knapsack problem by branch and bound: which items are worth most and still fit? Each item
// is taken or left, and a branch is given up when even a fraction of the next item, put into the
// room that is left, would not make it better than the best knapsack found so far. The items come
// by falling worth for their weight, so that this bound is sharp and the first branch is good.
//
// What one worker finds cuts the branches of the others. So the number of branches differs from run
// to run, and a parallel search may visit more of them than the serial one, or fewer. The best
// value is always the same.
//
// The bound: G. B. Dantzig, Discrete-Variable Extremum Problems (Operations Research 5, 1957).
// The program: knapsack of the Cilk distribution (Frigo, Leiserson, Randall 1998).
//
// Protocol of shared_best: any worker raises the value, any worker reads it; it only grows.
//   1. Every access is relaxed. The value is a number that guards nothing else, and a stale value
//      is only smaller: the reader searches a branch that it could have given up.
//   2. The caller reads the result after the search has joined all its forks, which orders every
//      raise before that read.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "workloads/forkers.hpp"

namespace heist::workloads {

struct knapsack_item {
  std::int64_t value = 0;
  std::int64_t weight = 1;
};

// The best value that a serial search has found.
class plain_best {
 public:
  [[nodiscard]] std::int64_t value() const { return value_; }
  void raise(std::int64_t value) {
    if (value > value_) value_ = value;
  }

 private:
  std::int64_t value_ = 0;
};

// The best value that any worker has found.
class shared_best {
 public:
  // Relaxed: a stale value costs a branch that is searched for nothing.
  [[nodiscard]] std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

  // Relaxed: nothing is published but the number, and no smaller one replaces it.
  void raise(std::int64_t value) {
    auto seen = value_.load(std::memory_order_relaxed);
    while (value > seen && !value_.compare_exchange_weak(seen, value, std::memory_order_relaxed,
                                                         std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<std::int64_t> value_{0};
};

// What is decided so far: the items still to be decided, the room left, and the value taken.
struct knapsack_branch {
  std::span<const knapsack_item> rest;
  std::int64_t room;
  std::int64_t value;

  [[nodiscard]] bool has_room_for_next() const { return rest.front().weight <= room; }
  [[nodiscard]] knapsack_branch taking_next() const {
    return {rest.subspan(1), room - rest.front().weight, value + rest.front().value};
  }
  [[nodiscard]] knapsack_branch leaving_next() const { return {rest.subspan(1), room, value}; }

  // No choice of the remaining items has a higher value than this.
  [[nodiscard]] std::int64_t bound() const {
    auto left = room;
    auto sum = value;
    for (const auto& item : rest) {
      if (item.weight > left) return sum + left * item.value / item.weight;
      left -= item.weight;
      sum += item.value;
    }
    return sum;
  }
};

// Searches a branch whose bound is above the best value. To take an item that fits does not lower
// the bound; therefore only a branch that leaves one is tested.
template <class Best>
void search_knapsack_serially(knapsack_branch branch, Best& best) {
  while (!branch.rest.empty()) {
    if (branch.has_room_for_next()) search_knapsack_serially(branch.taking_next(), best);
    branch = branch.leaving_next();
    if (branch.bound() <= best.value()) return;
  }
  best.raise(branch.value);
}

// The same in parallel: both decisions at the same time. The last `cutoff` items are not forked.
template <class Fork>
void search_knapsack(knapsack_branch branch, std::size_t cutoff, shared_best& best, Fork fork) {
  if (branch.rest.size() <= cutoff || branch.rest.empty())
    return search_knapsack_serially(branch, best);
  const auto leave = [&best, branch, cutoff, fork] {
    const auto left = branch.leaving_next();
    if (left.bound() > best.value()) search_knapsack(left, cutoff, best, fork);
  };
  if (!branch.has_room_for_next()) return leave();
  fork([&best, branch, cutoff, fork] { search_knapsack(branch.taking_next(), cutoff, best, fork); },
       leave);
}

}  // namespace heist::workloads
