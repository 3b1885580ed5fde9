// detached_task: work that nobody waits for, in memory of the program's own.
//
//     struct request : heist::detached_task {
//       request() : detached_task(&serve) {}
//       static void serve(heist::detached_task& t) noexcept {
//         auto& self = static_cast<request&>(t);
//         ...
//         delete &self;
//       }
//     };
//     heist::start_detached(*new request);
//
// For programs and libraries that have queues, counters and life cycles of their own and want
// nothing but a thread: no allocation, no future, no exception. pool::submit is for functions whose
// result somebody wants, heist::task for children that their parent waits for.
#pragma once

#include "heist/detail/export.hpp"
#include "heist/detail/root.hpp"

namespace heist::inline v0 {

class pool;

namespace detail {
struct detached_access;
struct group_task;
}  // namespace detail

// To be derived from, or held.
class detached_task : private detail::family_root {
 public:
  // Is called on a worker, once for each start. The pool doesn't touch the object any more then:
  // the function may destroy it, or start it again. It may fork, loop, wait and start other tasks.
  using function = void (*)(detached_task&) noexcept;

  // A task that calls f when it is started. Allocates nothing.
  explicit detached_task(function f) noexcept : detached_task(f, nullptr) {}

 private:
  friend struct detail::detached_access;
  friend struct detail::group_task;
  detached_task(function f, detail::root_family* of) noexcept
      : detail::family_root(&begin, of), function_(f) {}
  HEIST_API static void begin(detail::root& self) noexcept;

  function function_;
};

// Gives the task to a pool, without a pool to the caller's own or else the default pool, and
// returns. The task must live, and must not be started again, until its function is called. The
// destructor of the pool waits for it, and for what it starts.
//
// Where a detached task of that pool calls this itself, and not from inside a fork, a loop or a
// scope that has children, the task lies on the worker's deque: that costs what a fork costs;
// thieves take the oldest, and the worker runs what is left, the newest first, when the caller has
// returned or waits (task_group). Elsewhere it goes through the pool's queue and wakes a worker
// that sleeps. What comes from outside is looked after every 64 tasks at the latest, so tasks that
// start each other for ever don't keep it out. Under HEIST_SERIAL, and in a child of fork() that
// was made on a worker, the function is called at once. Throws usage_error in a child of fork() for
// a pool of the parent, and what making the default pool can throw; nothing on a worker for its own
// pool. Thread-safe. Allocates nothing except what a measured pool keeps of the task: without
// memory for that the program ends.
HEIST_API void start_detached(detached_task& t);
HEIST_API void start_detached(pool& p, detached_task& t);

}  // namespace heist::inline v0
