// A queue of tasks that any thread may use: first in, first out, behind a lock. A program may put a
// task in that is in it already, so tasks aren't linked through themselves. Without memory for a
// push the program ends.
//
// Arenas keep here what belongs to no thread's deque: enqueued tasks, critical ones, and tasks that
// did not fit into a deque or that a thief took but may not run (arena.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "heist/detail/short_lock.hpp"
#include "parts/abi.hpp"

namespace heist::inline v0::libtbb {

class task_queue {
 public:
  void push(task& t) noexcept {
    const std::lock_guard held(lock_);
    // What is moved is paid for by the takes before.
    if (tasks_.size() == tasks_.capacity() && first_ >= tasks_.size() / 2) compact();
    tasks_.push_back(&t);
    note_size(std::memory_order_release);  // partner in looks_empty()
  }

  // The oldest task that a wait with this tag may take; nullptr if there is none. Costs a load
  // while the queue is empty.
  [[nodiscard]] task* pop(std::intptr_t isolation) noexcept {
    if (looks_empty()) return nullptr;
    const std::lock_guard held(lock_);
    for (std::size_t i = first_; i < tasks_.size(); ++i) {
      task* const t = tasks_[i];
      if (!may_take(isolation, task_access::isolation(*t))) continue;
      if (i == first_)
        ++first_;
      else
        tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(i));
      if (first_ == tasks_.size()) compact();
      note_size(std::memory_order_relaxed);  // only a hint becomes smaller
      return t;
    }
    return nullptr;
  }

  // Acquire: partner in push. Who goes to sleep on the answer has run a barrier before.
  [[nodiscard]] bool looks_empty() const noexcept {
    return size_.load(std::memory_order_acquire) == 0;
  }

 private:
  void compact() noexcept {
    tasks_.erase(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  void note_size(std::memory_order order) noexcept { size_.store(tasks_.size() - first_, order); }

  detail::short_lock lock_;
  std::vector<task*> tasks_;  // from first_ on; guarded by the lock, as is first_
  std::size_t first_ = 0;
  std::atomic<std::size_t> size_{0};
};

}  // namespace heist::inline v0::libtbb
