// A value that belongs to one thread, and the number of that thread.
#pragma once

#include <cstdint>

#include "heist/detail/export.hpp"

namespace heist::inline v0::detail {

// Aligned to two cache lines, since processors fetch them in pairs.
template <class T>
struct alignas(128) own_value {
  template <class F>
  explicit own_value(F& make) : value(make()) {}

  T value;
};

// Returns a number that differs from those of all other threads that have ever existed; never 0.
// What ran on the thread before, in other fibers too, happened before this, also for
// ThreadSanitizer.
HEIST_API std::uint64_t thread_number() noexcept;

}  // namespace heist::inline v0::detail
