// The ready threads that no processor runs, in the order in which a central scheduler gives them
// out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "lab/model/ids.hpp"

namespace heist::lab {

enum class pool_order { fifo, lifo, longest_first, shortest_first, by_priority };

class ready_pool {
 public:
  explicit ready_pool(pool_order order) : order_(order) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool has(thread_id thread) const {
    return thread < entry_of_.size() && entry_of_[thread] != 0;
  }

  // `key` is the length or the priority by which the other orders sort; of equal threads the one
  // that was added first goes first.
  void add(thread_id thread, std::uint64_t key) {
    if (thread >= entry_of_.size()) entry_of_.resize(thread + std::size_t{1}, 0);
    entry_of_[thread] = ++entries_;
    ++size_;
    if (is_by_key())
      by_key_.push({order_ == pool_order::shortest_first ? key : ~key, entries_, thread});
    else
      in_turn_.push_back({0, entries_, thread});
  }

  // The pool must not be empty.
  thread_id take() {
    for (;;) {
      const entry next = pop();
      // This thread was taken by its id before.
      if (entry_of_[next.thread] != next.number) continue;
      take(next.thread);
      return next.thread;
    }
  }

  // Takes out a thread that the pool has. Its entry stays behind with a number that is no longer
  // valid.
  void take(thread_id thread) {
    entry_of_[thread] = 0;
    --size_;
  }

 private:
  struct entry {
    std::uint64_t key, number;
    thread_id thread;

    // The greatest of a heap is what comes last here.
    friend bool operator<(const entry& a, const entry& b) {
      return a.key != b.key ? a.key > b.key : a.number > b.number;
    }
  };

  [[nodiscard]] bool is_by_key() const {
    return order_ != pool_order::fifo && order_ != pool_order::lifo;
  }

  entry pop() {
    entry result;
    if (is_by_key()) {
      result = by_key_.top();
      by_key_.pop();
    } else if (order_ == pool_order::fifo) {
      result = in_turn_.front();
      in_turn_.pop_front();
    } else {
      result = in_turn_.back();
      in_turn_.pop_back();
    }
    return result;
  }

  pool_order order_;
  std::deque<entry> in_turn_;
  std::priority_queue<entry> by_key_;
  std::vector<std::uint64_t> entry_of_;  // by thread: the number of its entry; 0: not in the pool
  std::uint64_t entries_ = 0, size_ = 0;
};

}  // namespace heist::lab
