// A value that belongs to one thread, and the number of that thread.
#pragma once

#include <cstdint>

#include "heist/detail/export.hpp"

namespace heist::inline v0::detail {

// Two cache lines: processors fetch them in pairs.
template <class T>
struct alignas(128) own_value {
  template <class F>
  explicit own_value(F& make) : value(make()) {}

  T value;
};

// Tells one thread from all others that there have ever been; never 0. What ran on the thread before, as other fibers
// too, happened before this, for ThreadSanitizer also.
HEIST_API std::uint64_t thread_number() noexcept;

}  // namespace heist::inline v0::detail
