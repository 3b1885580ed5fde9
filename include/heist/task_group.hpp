// task_group: a scope that lives in an object.
//
//     class index {
//      public:
//       void add(document d) {
//         group_.run([this, d = std::move(d)] { enter(d); });
//       }
//       void finish() { group_.wait(); }  // throws what a task has thrown
//
//      private:
//       ...
//       heist::task_group group_;
//     };
//
// For work that begins in one function of a program and is waited for in another. Where both are
// the same function, heist::scope is better: it costs less, allocates nothing, and has bounds for
// time and space that a group can't have. A scope runs a child at once and lets thieves take the
// rest of its function; a group makes its caller run on, so that all tasks that were started and
// haven't begun are in memory at the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/refusal.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/short_lock.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/detail/work_count.hpp"

namespace heist::inline v0 {

class pool;

namespace detail {
struct group_task;
struct group_access;
}  // namespace detail

// All members are thread-safe except construction and destruction. A group is itself a
// stop_condition: parallel_for(group, 0, n, body) stops when the group does.
class task_group {
 public:
  // A task runs in the pool whose worker calls run(), or else in the default pool.
  task_group() noexcept = default;
  // Tasks run in that pool, which must live as long as run() may be called.
  explicit task_group(pool& p) noexcept : pool_(&p) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  // wait() must have returned, or thrown what a task threw, after the last run(). If not, the
  // program ends with a line that says so, even if the tasks happen to have ended: the destructor
  // of a member would wait too late for tasks that use members declared after the group, and what
  // a task threw would be lost. While an exception unwinds the stack, the destructor calls
  // request_stop() instead and waits; what tasks throw is lost then. So tasks of a local group may
  // use what is declared before it.
  HEIST_API ~task_group();

  // Starts std::decay_t<F>(f) as a task and returns. Tasks of the group, and any thread, may call
  // it. The task is called once, and destroyed before wait() returns.
  //
  // If a task of a group in the same pool calls run(), outside the forks, loops and scopes that it
  // has opened, the new task lies on the worker's deque: thieves take the oldest, and the worker
  // runs what is left, the newest first, when the caller waits or has ended. From elsewhere, or
  // where the deque is full, it goes through the pool's queue, as start_detached says. Under
  // HEIST_SERIAL it is called at once. A reducer can't be used in it, since it has no place in the
  // order of the program; combinable and worker_local can.
  //
  // One allocation. Throws std::bad_alloc, what moving f throws, and what start_detached throws for
  // that pool; then nothing was started.
  template <class F>
  requires detail::can_be_spawned<F>
  void run(F&& f);
  template <class... Arguments>
  requires(!detail::is_spawn<Arguments...>)
  void run(Arguments&&...) {
    detail::refuse_spawn<Arguments...>();
  }

  // Returns when all tasks have ended, those that they start included, and what they did can be
  // seen. A worker of the pool first calls tasks that nobody has begun, the newest first: those
  // that the waiting task has started itself, if it waits outside the forks, loops and scopes that
  // it has opened, and those in the queue of the pool in which the group was first used. Then, or
  // where a quarter of its stack is used or another function at the pool's entry must get a turn, a
  // worker's fiber is suspended, and its thread does other work; any other thread sleeps.
  //
  // If tasks threw, throws the exception that was thrown first in time; the others are lost. As
  // soon as one has thrown or a stop is requested, tasks that haven't begun are skipped: they are
  // destroyed without having been called. Returns how many were skipped since the last wait(); 0:
  // all of them ran. Then the group is as new, without a stop or an exception, and may be used
  // again. Several threads may wait: one of them gets the exception, and the group may be used
  // again when all of them have returned.
  //
  // Throws usage_error if a task of this group calls it, which would wait for itself. That is
  // found on the task's own stack only. What the task has forked or spawned may run elsewhere:
  // called from there, wait() never returns.
  HEIST_API std::uint64_t wait();

  // Calls f as a task of the group and then waits: on a worker of the pool the call is a plain one;
  // for any other caller it is pool::run. No allocation. Otherwise as run() and wait().
  template <class F>
  requires detail::can_be_called<F>
  std::uint64_t run_and_wait(F&& f);
  template <class... Arguments>
  requires(!detail::is_run<Arguments...>)
  detail::refused run_and_wait(Arguments&&...) {
    return detail::refuse_run<Arguments...>();
  }

  // From now on until wait() returns tasks are skipped that haven't begun. Those that run go on;
  // they may ask stop_requested().
  void request_stop() noexcept {
    // Relaxed: a task that sees it late runs, as if it had begun before.
    stops_.store(true, std::memory_order_relaxed);
  }
  // Whether tasks are skipped: request_stop() was called or a task has thrown, after the last
  // wait(). Relaxed: as above.
  [[nodiscard]] bool stop_requested() const noexcept {
    return stops_.load(std::memory_order_relaxed);
  }

 private:
  friend struct detail::group_access;
  friend struct detail::group_task;

  HEIST_API void start(detail::group_task& t);
  void join() noexcept;
  HEIST_API std::uint64_t call_and_wait(void (*call)(void*), void* closure);

  pool* const pool_ = nullptr;
  detail::work_count unfinished_;
  detail::root_family waiting_;  // tasks in the pool's queue
  detail::short_lock guard_;
  // wait() lowers both under guard_, where a task that throws raises the first with its exception.
  // Relaxed: their readers need no more than they see.
  std::atomic<bool> stops_{false};
  std::atomic<bool> has_ended_{false};  // a task has, after the last wait()
  std::atomic<std::uint64_t> skipped_{0};
  std::exception_ptr thrown_;  // guarded by guard_
};

}  // namespace heist::inline v0

#include "heist/detail/task_group_impl.hpp"
