// A barrier for fibers: all arrive, then all continue, again and again.
//
// Many more fibers than threads can meet at one barrier: a fiber that waits is suspended, and its
// thread runs the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heist/detail/barrier_phases.hpp"

namespace heist::inline v0 {

// The completion of a barrier that needs none: does nothing.
struct no_completion {
  // Does nothing.
  void operator()() const noexcept {}
};

// As std::barrier; fibers and threads outside any pool may use it together. Allocates nothing. When
// all have arrived, the last one runs `completion` before any continues; it must be noexcept, and
// may fork and wait.
template <class Completion = no_completion>
class barrier {
  static_assert(std::is_nothrow_invocable_v<Completion&>,
                "heist: a barrier's completion is called without arguments and must be noexcept");

 public:
  // What arrive() returns and wait() takes: the phase in which its owner has arrived.
  class arrival_token {
    friend barrier;
    explicit arrival_token(std::uint64_t phase) noexcept : phase_(phase) {}
    std::uint64_t phase_;
  };

  // Throws usage_error for a negative number.
  explicit barrier(std::ptrdiff_t expected, Completion completion = Completion(),
                   detail::place made = detail::place::here())
      : phases_(expected, made), completion_(std::move(completion)) {}

  // n arrive at once: from 1 to as many as are still expected in this phase; otherwise throws
  // usage_error.
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t n = 1) { return arrival_token(come(n, 0)); }
  // Returns when the phase of the token has ended. Suspends the fiber, not the thread.
  void wait(arrival_token&& token) noexcept { phases_.wait(token.phase_); }
  // The same as wait(arrive()).
  void arrive_and_wait() { phases_.wait(come(1, 0)); }
  // Arrives, and isn't expected any more in later phases.
  void arrive_and_drop() { come(1, 1); }

 private:
  std::uint64_t come(std::ptrdiff_t n, std::ptrdiff_t dropped) {
    const auto [phase, was_last] = phases_.arrive(n, dropped);
    if (was_last) {
      completion_();
      phases_.end_phase();
    }
    return phase;
  }

  detail::barrier_phases phases_;
  [[no_unique_address]] Completion completion_;
};

}  // namespace heist::inline v0
