// task: work as an object that knows its parent and counts its unfinished children, for programs
// that schedule themselves.
//
//     struct fib_task : heist::task {
//       fib_task(int number, long& result) : n(number), sum(result) {}
//       void execute() override {
//         if (n < 2) { sum = n; return; }
//         long x, y;
//         fib_task a(n - 1, x), b(n - 2, y);
//         spawn(a);
//         spawn(b);
//         wait_for_all();
//         sum = x + y;
//       }
//       int n;
//       long& sum;
//     };
//     heist::run_task(root);
//
// fork_join and scope do the same with plain functions, cheaper. A task is for programs that pass
// their work around as objects, or that were written for a scheduler of such objects.
//
// In some schedulers a waiting task runs any other task, on top of its own stack. A waiting task of
// heist runs only its own children. When other workers have taken these, its fiber is suspended and
// the worker does other work. So unrelated work never delays a wait, and stacks stay as deep as in
// a serial run.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "heist/detail/errno.hpp"
#include "heist/detail/export.hpp"

namespace heist::inline v0 {

class pool;

namespace detail {
struct task_frame;
struct task_access;
}  // namespace detail

class [[gnu::visibility("default")]] task {
 public:
  task() noexcept = default;
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  HEIST_API virtual ~task();

  // The work of the task. It may fork, loop and wait like any function that heist runs, and it may
  // call spawn, below. What it throws is thrown again by its parent's wait_for_all(), or for a root
  // by run_task().
  virtual void execute() = 0;

  // The task that spawned this one; nullptr for a root, and before it was spawned.
  [[nodiscard]] task* parent() const noexcept { return parent_; }

  // How many children were spawned and haven't ended: a snapshot. Thread-safe. Acquire: the caller
  // sees what the children that ended did.
  [[nodiscard]] unsigned unfinished_children() const noexcept {
    // In this order: a child that another worker has ended was counted before.
    const unsigned others = by_others_.load(std::memory_order_acquire);
    return by_itself_.load(std::memory_order_acquire) + others;
  }

  // Makes `child` a child of this task, which any free worker may run. It is pushed on this
  // worker's deque; wait_for_all() runs the children that nobody stole, newest first. The child
  // must live, and must not be spawned elsewhere, until wait_for_all() or execute() has returned;
  // after that it may be spawned again. The second form deletes the child when it has ended.
  //
  // To be called by execute() of this task, while it runs. The child is called at once where the
  // deque is full, under HEIST_SERIAL, and when it is spawned from inside a fork or a scope that
  // execute() opened, or by a descendant of this task. When a child has thrown, those spawned after
  // it that haven't begun are skipped. spawn itself doesn't throw what the child throws. Costs a
  // push; no allocation.
  HEIST_API void spawn(task& child) noexcept;
  HEIST_API void spawn(std::unique_ptr<task> child) noexcept;

  // Returns when all children have ended; the end of execute() does the same. If children threw,
  // throws the exception of the one that was spawned first. To be called by execute() of this task
  // itself: throws usage_error if it is called from elsewhere while there may be children. The
  // thread may be another one afterwards.
  HEIST_API void wait_for_all();

 private:
  friend struct detail::task_frame;
  friend struct detail::task_access;

  task* parent_ = nullptr;
  detail::task_frame* frame_ = nullptr;  // of execute(), while it runs
  // Children that haven't ended: counted up and down by execute() itself, which needs no
  // read-modify-write for that, and by others; modulo 2^32, together never below 0.
  std::atomic<unsigned> by_itself_{0};
  std::atomic<unsigned> by_others_{0};
  bool is_owned_ = false;  // to be deleted when it has ended
};

// Runs execute() of a root, a task without a parent, and returns when it and everything that it
// spawned have ended. On a worker it is a call; any other thread has it run in the default pool and
// waits. Throws what execute() throws, or what a child threw for which nobody waited; and what
// making the default pool can throw.
HEIST_API void run_task(task& root);

// The same in the pool p.
HEIST_API void run_task(pool& p, task& root);

}  // namespace heist::inline v0
