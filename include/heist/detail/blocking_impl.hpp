// The machinery of <heist/blocking.hpp>: what the library is given to run.
#pragma once

#include <type_traits>

#include "heist/blocking.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/root.hpp"

namespace heist::inline v0 {

namespace detail {

// Runs the function on a thread that may block, and returns when it has ended.
HEIST_API void run_blocking(root& r);

}  // namespace detail

template <class F>
requires detail::can_be_called<F>
auto blocking(F&& f) -> std::invoke_result_t<F> {
  detail::root_of<F> r(f);
  detail::run_blocking(r);
  return r.take();
}

template <class... Arguments>
requires(!detail::is_run<Arguments...>)
detail::refused blocking(Arguments&&...) {
  return detail::refuse_run<Arguments...>();
}

}  // namespace heist::inline v0
