// Numbers of a program's own in a trace of its run (docs/observing.md).
//
//     heist::trace_counter("queue length", static_cast<double>(queue.size()));
//
// Traces are recorded by HEIST_TRACE=out.json, without a rebuild, or pool::start_trace().
#pragma once

#include "heist/detail/export.hpp"
#include "heist/detail/observers.hpp"
#include "heist/detail/requirements.hpp"

namespace heist::inline v0 {

namespace detail {

[[gnu::cold]] HEIST_API void note_counter(const char* name, double value) noexcept;

}  // namespace detail

// The value of the counter `name` is `value` from now on. The name is copied when it is first seen;
// names beyond 65,534 are taken for one. What isn't finite is recorded as 0. While no trace is
// recorded it costs a load and a branch. Thread-safe.
inline void trace_counter(const char* name, double value) noexcept {
  if (detail::observers.load(std::memory_order_relaxed) != 0) [[unlikely]]
    detail::note_counter(name, value);
}

}  // namespace heist::inline v0
