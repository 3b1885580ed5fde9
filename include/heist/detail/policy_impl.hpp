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
requires detail::can_be_called<F>
auto with(policy p, F&& f) -> std::invoke_result_t<F> {
  detail::root_of<F> r(f);
  detail::run_with(p, r);
  return r.take();
}

template <class F>
requires detail::can_be_called<F>
auto with_priority(int priority, F&& f) -> std::invoke_result_t<F> {
  detail::root_of<F> r(f);
  detail::run_with_priority(priority, r);
  return r.take();
}

template <class... Arguments>
requires(!detail::is_run<Arguments...>)
detail::refused with(policy, Arguments&&...) {
  return detail::refuse_run<Arguments...>();
}

template <class... Arguments>
requires(!detail::is_run<Arguments...>)
detail::refused with_priority(int, Arguments&&...) {
  return detail::refuse_run<Arguments...>();
}

}  // namespace heist::inline v0
