// A queue of tasks that any thread may use: first in, first out, behind a lock. The tasks are
// linked through themselves, so a push allocates nothing and cannot fail.
//
// Arenas keep here what belongs to no thread's deque: enqueued tasks, critical ones, and tasks that
// did not fit into a deque or that a thief took but may not run (arena.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

#include "abi.hpp"
#include "heist/detail/short_lock.hpp"

namespace heist::inline v0::libtbb {

class task_queue {
 public:
  void push(task& t) noexcept {
    task_access::set_next(t, nullptr);
    const std::lock_guard held(lock_);
    if (last_ != nullptr)
      task_access::set_next(*last_, &t);
    else
      first_ = &t;
    last_ = &t;
    // Release: partner in looks_empty(). Only the holder of the lock writes it.
    size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // The oldest task that a wait with this tag may take; nullptr if there is none. Costs a load
  // while the queue is empty.
  [[nodiscard]] task* pop(std::intptr_t isolation) noexcept {
    if (looks_empty()) return nullptr;
    const std::lock_guard held(lock_);
    task* before = nullptr;
    for (task* t = first_; t != nullptr; before = t, t = task_access::next(*t)) {
      if (!may_take(isolation, task_access::isolation(*t))) continue;
      task* const after = task_access::next(*t);
      if (before != nullptr)
        task_access::set_next(*before, after);
      else
        first_ = after;
      if (last_ == t) last_ = before;
      // Relaxed: only a hint becomes smaller.
      size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      return t;
    }
    return nullptr;
  }

  // Acquire: partner in push. Who goes to sleep on the answer has run a barrier before.
  [[nodiscard]] bool looks_empty() const noexcept {
    return size_.load(std::memory_order_acquire) == 0;
  }

 private:
  detail::short_lock lock_;
  task* first_ = nullptr;
  task* last_ = nullptr;
  std::atomic<std::size_t> size_{0};
};

}  // namespace heist::inline v0::libtbb
