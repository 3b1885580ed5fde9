// A function that waits calls what it waits for, if nobody has begun that: then the wait needs no
// stack of its own, and a recursion of waits runs depth first, as a serial program would.
//
// It costs the waiter nothing but may delay others, so the waiter is suspended instead when its
// stack is nearly full, and now and then when something else waits at the pool's entry.
#pragma once

#include <cstdint>

#include "runtime/core/exception_globals.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

struct root_family;

// While a waiter on that worker calls something: whether it handles an exception, or its stack is
// being unwound, is none of the called function's business.
class exceptions_put_aside {
 public:
  explicit exceptions_put_aside(const worker& w) noexcept
      : has_some_(exception_globals::are_at(*w.exceptions)) {
    if (has_some_) [[unlikely]]
      of_the_caller_ = exception_globals::take();
  }
  // The thread may be another one now.
  ~exceptions_put_aside() {
    if (has_some_) [[unlikely]]
      of_the_caller_.put();
  }
  exceptions_put_aside(const exceptions_put_aside&) = delete;
  exceptions_put_aside& operator=(const exceptions_put_aside&) = delete;

 private:
  const bool has_some_;
  exception_globals of_the_caller_{};
};

// Where what may be called lies.
enum class awaited_in : std::uint8_t { queue, deque };

// Whether the running function may call what it waits for, on that worker.
[[nodiscard]] bool may_call_awaited(worker& w, awaited_in where) noexcept;

// As run_one_of(), no matter what is left of the stack and who else waits. For a worker.
bool run_newest_queued_of(root_family& family) noexcept;

}  // namespace heist::inline v0::detail
