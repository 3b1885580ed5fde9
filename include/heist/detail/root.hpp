// A root: a function that is handed to a pool from outside. Its caller waits for it, or it sees to its own end.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/job.hpp"
#include "heist/detail/rendezvous.hpp"

namespace heist::inline v0::detail {

class pool_impl;

// The pool calls run() once, on a fiber of its own. One that is awaited lies on the stack of its caller, who sleeps
// (or, if it is a worker of another pool, suspends its fiber) until that has ended. Any other is left alone by the pool
// as soon as run() returns, which may have freed it.
struct root {
  using function = void (*)(root&) noexcept;

  explicit root(function f) noexcept : run(f) {}
  root(const root&) = delete;
  root& operator=(const root&) = delete;

  function run;
  bool is_awaited = true;
  union {
    root* next = nullptr;  // in the pool's injection queue; guarded by its mutex
    view_node* views;      // of one that is awaited and has ended (views.hpp)
  };
  rendezvous state{};  // as job::state
};
static_assert(sizeof(root) == 4 * sizeof(void*));

template <class F>
struct root_of final : root {
  using result = std::invoke_result_t<F>;

  explicit root_of(std::remove_reference_t<F>& f) noexcept : root(&call), function_(f) {}

  // After it ran: the result, or the exception.
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

// Runs it in that pool (nullptr: the default pool, made now if need be) and returns when it has
// ended. A caller that is a worker of that pool runs it at once, as a call. Throws what making the
// default pool can throw.
HEIST_API void run_root(pool_impl* pool, root& r);

// Hands one that isn't awaited to that pool (nullptr: the caller's, or the default pool) and returns. Where forks are
// calls it is run at once. Throws usage_error in a child of fork() for a pool of its parent's, and what making the
// default pool can throw; on a worker, for its own pool, nothing.
HEIST_API void start_root(pool_impl* pool, root& r);

// Runs it on that worker of the pool and returns when it has ended. See pool::run_on.
HEIST_API void run_on_worker(pool_impl& pool, unsigned index, root& r);

template <class F>
auto run_in(pool_impl* pool, F&& f) -> std::invoke_result_t<F> {
  root_of<F> r(f);
  run_root(pool, r);
  return r.take();
}

}  // namespace heist::inline v0::detail
