// Semaphores for fibers: a fiber that has to wait is suspended, and its thread does other work.
//
// They are fair: waiters get permits in the order in which they came. release() hands the permits
// over, so that no later caller can overtake a waiter.
#pragma once

#include <cstddef>
#include <limits>

#include "heist/detail/alarm.hpp"
#include "heist/detail/chrono.hpp"
#include "heist/detail/race.hpp"
#include "heist/detail/semaphore.hpp"

namespace heist::inline v0 {

// As std::counting_semaphore; fibers and threads outside any pool may use it together. Without
// waiting, acquire and release cost one atomic operation each; nothing allocates.
template <std::ptrdiff_t LeastMax = std::numeric_limits<std::ptrdiff_t>::max()>
class counting_semaphore {
  static_assert(LeastMax >= 0);

 public:
  // Throws usage_error if there are fewer than 0 permits, or more than max().
  explicit counting_semaphore(std::ptrdiff_t permits, detail::place made = detail::place::here())
      : impl_(permits, LeastMax, made) {}

  // How many permits there can be.
  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return LeastMax; }

  // Takes a permit; waits until there is one.
  void acquire() noexcept {
    impl_.acquire();
    has_permit(true);
  }
  // Takes a permit if there is one; returns whether it did. Never waits.
  [[nodiscard]] bool try_acquire() noexcept { return has_permit(impl_.try_acquire()); }
  // False if the time was over before there was a permit. They throw resource_error or
  // std::bad_alloc where they have to wait and can't.
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(std::chrono::duration<Rep, Period> time) {
    return has_permit(impl_.try_acquire() || impl_.acquire_until(detail::due_in(time)));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(std::chrono::time_point<Clock, Duration> time) {
    return has_permit(impl_.try_acquire() || impl_.acquire_until(detail::due_at(time)));
  }
  // Adds n permits; the sum of all must not exceed max(). Throws usage_error if n is negative.
  void release(std::ptrdiff_t n = 1) {
    if constexpr (HEIST_RACE)
      for (std::ptrdiff_t i = 0; i < n; ++i)
        detail::race::order(&impl_, detail::race::message::sent);
    impl_.release(n);
  }

 private:
  bool has_permit(bool it_has) noexcept {
    if (it_has) detail::race::order(&impl_, detail::race::message::received);
    return it_has;
  }

  detail::semaphore impl_;
};

// A semaphore with one permit at most.
using binary_semaphore = counting_semaphore<1>;

}  // namespace heist::inline v0
