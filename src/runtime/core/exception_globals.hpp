// A thread's stack of caught exceptions and its count of uncaught ones (Itanium C++ ABI, 2.2.2).
// They belong to the flow of control, so each stack that is left and entered again has its own.
#pragma once

#include "heist/detail/spawn_path.hpp"

namespace heist::inline v0::detail {

struct exception_globals {
  void* caught = nullptr;
  unsigned uncaught = 0;

  static exception_globals take() noexcept;                 // the thread's, which are left empty
  void put() const noexcept;                                // makes them the thread's
  static const exceptions_of_thread* of_thread() noexcept;  // where the thread keeps them

  // Whether there are any. Relaxed atomics: see take().
  static bool are_at(const exceptions_of_thread& place) noexcept {
    return __atomic_load_n(&place.caught, __ATOMIC_RELAXED) != nullptr ||
           __atomic_load_n(&place.uncaught, __ATOMIC_RELAXED) != 0;
  }
};

}  // namespace heist::inline v0::detail
