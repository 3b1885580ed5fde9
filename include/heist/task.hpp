// task: work as an object that knows its parent and counts its unfinished children, for schedules of one's own.
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
// fork_join and scope do the same with plain functions, cheaper. A task is for programs that hand their work
// around as objects, or that were written for a scheduler of such.
//
// Where schedulers of tasks let a waiting one run whatever comes by, on top of its own stack, a task of heist runs children of its
// own only; when others have those, its fiber is suspended and the worker does other work. So a wait is never held
// up by unrelated work, and stacks stay as deep as a serial run's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "heist/detail/export.hpp"

namespace heist::inline v0 {

class pool;
class task;

namespace detail {

struct task_frame;

struct task_access {
  static void run(task& t, task* parent, std::uint64_t place) noexcept;
  static void run_root(task& t);
};

}  // namespace detail

class [[gnu::visibility("default")]] task {
 public:
  task() noexcept = default;
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  HEIST_API virtual ~task();

  // What it does. It may fork, loop and wait like any function that heist runs; and spawn, below. What it throws goes to its
  // parent's wait_for_all(), the root's to run_task().
  virtual void execute() = 0;

  // The task that spawned it; nullptr for a root, and before it was spawned.
  [[nodiscard]] task* parent() const noexcept { return parent_; }

  // Children that were spawned and haven't ended. Thread-safe; a snapshot. Acquire: what those that ended did is seen.
  [[nodiscard]] unsigned unfinished_children() const noexcept {
    return unfinished_.load(std::memory_order_acquire);
  }

  // Makes `child` a child of this task, for whichever worker is free. It is left on this worker's deque; what nobody took,
  // wait_for_all() runs, newest first. The child must live, and be spawned nowhere else, until wait_for_all() or
  // execute() has returned; after that it may be spawned again. The other form deletes it when it has ended.
  //
  // For execute() of this task, while it runs. A call at once where the deque has no place, under HEIST_SERIAL, and when it
  // is spawned from inside a fork or a scope that execute() opened, or by a task below this one. When a child has thrown, those
  // spawned after it that haven't begun are left out. Throws nothing that the child throws. Costs a push and two
  // atomic operations; no allocation.
  HEIST_API void spawn(task & child) noexcept;
  HEIST_API void spawn(std::unique_ptr<task> child) noexcept;

  // Returns when all children have ended; execute() ends with it anyway. If children threw, throws what that one threw
  // which was spawned first. For execute() of this task itself: usage_error if it is called from elsewhere while
  // children may be left. The thread may be another one afterwards.
  HEIST_API void wait_for_all();

 private:
  friend struct detail::task_frame;
  friend struct detail::task_access;

  task* parent_ = nullptr;
  detail::task_frame* frame_ = nullptr;  // of execute(), while it runs
  std::atomic<unsigned> unfinished_{0};
  bool is_owned_ = false;  // to be deleted when it has ended
};

// Runs execute() of a root, a task without a parent, and returns when it and all that it spawned have ended. A worker calls it
// where it is; any other thread has it run in the default pool and waits. Throws what execute() throws, or what a child
// threw that nobody waited for; and what making the default pool can throw.
HEIST_API void run_task(task& root);

// The same in a pool of one's own.
HEIST_API void run_task(pool& p, task& root);

}  // namespace heist::inline v0
