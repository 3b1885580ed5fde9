// A root: a function that is given to a pool from outside. Either its caller waits for it, or it
// destroys itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/job.hpp"
#include "heist/detail/refusal.hpp"
#include "heist/detail/rendezvous.hpp"
#include "heist/priority.hpp"

namespace heist::inline v0::detail {

class injection_queue;
class pool_impl;
struct family_root;

// Roots that are waited for together, as far as they wait in a pool's queue: the one that waits for
// them on a worker of that pool runs them itself (run_one_of). Otherwise a worker whose functions
// all wait for such roots would first begin everything else that has forked, each on one more
// stack.
struct root_family {
  // The first queue into which one of them came; those in other queues are not listed. The one that
  // waits for the family has seen that a root was given to the pool, so relaxed is enough.
  std::atomic<const injection_queue*> home{nullptr};
  family_root* newest = nullptr;  // guarded by the mutex of `home`
};

// The pool calls run() once, on a fiber of its own. A root that is awaited lies on the stack of its
// caller, which sleeps (or, if it is a worker of another pool, suspends its fiber) until the root
// has ended. The pool doesn't touch any other root after run() has returned, since run() may have
// freed it.
struct root {
  using function = void (*)(root&) noexcept;

  explicit root(function f) noexcept : run(f) {}
  root(const root&) = delete;
  root& operator=(const root&) = delete;

  function run;
  bool is_awaited = true;
  bool is_of_family = false;  // it is a family_root, and its family isn't nullptr
  bool is_listed = false;     // in the family's list, as it is in the queue
  priority urgency = priority::normal;
  unsigned region = 0;  // in which it was given to the pool, if a trace is recorded
  union {
    root* next = nullptr;  // in the pool's injection queue; guarded by its mutex
    view_node* views;      // of one that is awaited and has ended (views.hpp)
  };
  rendezvous state{};  // as job::state
};
static_assert(sizeof(root) == 4 * sizeof(void*));

// A root that may belong to a family. All but the first are for the injection queue, guarded by its
// mutex: the root before this one in its level, and its neighbours in the family's list.
struct family_root : root {
  explicit family_root(function f, root_family* of) noexcept : root(f), family(of) {
    is_awaited = false;
    is_of_family = of != nullptr;
  }

  root_family* const family;
  root* previous = nullptr;
  family_root* older = nullptr;
  family_root* newer = nullptr;
};

template <class F>
struct root_of final : root {
  using result = std::invoke_result_t<F>;

  explicit root_of(std::remove_reference_t<F>& f) noexcept : root(&call), function_(f) {}

  // To be called after it ran: returns the result, or throws the exception.
  result take() {
    if (thrown_) std::rethrow_exception(std::move(thrown_));
    if constexpr (std::is_void_v<result>)
      return;
    else if constexpr (std::is_reference_v<result>)
      return static_cast<result>(**value_);
    else
      return std::move(*value_);
  }

 private:
  static void call(root& self) noexcept {
    auto& r = static_cast<root_of&>(self);
    try {
      r.value_.emplace(invoke_stored<result>(static_cast<F&&>(r.function_)));
    } catch (...) {
      r.thrown_ = std::current_exception();
    }
  }

  std::remove_reference_t<F>& function_;
  std::optional<stored_result<result>> value_;
  std::exception_ptr thrown_;
};

// Runs the root in that pool (nullptr: the default pool, which is made now if necessary) and
// returns when it has ended. If the caller is a worker of that pool, it is a call. Throws what
// making the default pool can throw.
HEIST_API void run_root(pool_impl* pool, root& r);

// Gives a root that isn't awaited to that pool (nullptr: the caller's, or the default pool) and
// returns. Where forks are calls it runs at once. Throws usage_error in a child of fork() for a
// pool of the parent, and what making the default pool can throw; on a worker, for its own pool, it
// doesn't throw.
HEIST_API void start_root(pool_impl* pool, root& r);

// If the caller is a worker of the pool in whose queue roots of this family wait: takes out the
// newest and runs it, on the caller's stack. False if it ran none.
HEIST_API bool run_one_of(root_family& family) noexcept;

// Runs the root on that worker of the pool and returns when it has ended. See pool::run_on.
HEIST_API void run_on_worker(pool_impl& pool, unsigned index, root& r);

template <class F>
auto run_in(pool_impl* pool, F&& f) -> std::invoke_result_t<F> {
  root_of<F> r(f);
  run_root(pool, r);
  return r.take();
}

}  // namespace heist::inline v0::detail
