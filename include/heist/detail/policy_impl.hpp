// The machinery of <heist/policy.hpp>: what the library is given to run.
#pragma once

#include <type_traits>

#include "heist/detail/export.hpp"
#include "heist/detail/root.hpp"
#include "heist/policy.hpp"

namespace heist::inline v0 {

namespace detail {

// Runs the function under that policy, and returns when it has ended.
HEIST_API void run_with(policy p, root& r);
HEIST_API void run_with_priority(int priority, root& r);

}  // namespace detail

template <class F>
requires std::is_invocable_v<F>
auto with(policy p, F&& f) -> std::invoke_result_t<F> {
  detail::root_of<F> r(f);
  detail::run_with(p, r);
  return r.take();
}

template <class F>
requires std::is_invocable_v<F>
auto with_priority(int priority, F&& f) -> std::invoke_result_t<F> {
  detail::root_of<F> r(f);
  detail::run_with_priority(priority, r);
  return r.take();
}

}  // namespace heist::inline v0
