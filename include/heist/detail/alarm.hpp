// Time limits of waits: an alarm lies beside the waiter's node and, when its time has come, removes
// the node from its list.
//
// One thread of the process rings all alarms. It is started with the first, sleeps while none is
// set, and rings under its lock: when the destructor of an alarm has returned, the alarm doesn't
// ring any more. So ring() takes the lock of a list after that of the alarms, and a thread that
// sets or destroys an alarm must hold no lock of a list.
#pragma once

#include <cstddef>

#include "heist/detail/chrono.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0::detail {

using due_time = std::chrono::steady_clock::time_point;

// Spans are compared in floating point before they are converted: the nanoseconds of far points of
// time exceed 64 bits.
using seconds_as_double = std::chrono::duration<double>;
// A wait that is to last longer, a century and more, has no end.
inline constexpr seconds_as_double endless{3.2e9};

// The end of a time span that begins now, rounded up. A time of another clock is converted to a
// span when the wait begins: later changes of that clock have no effect.
template <class Rep, class Period>
due_time due_in(std::chrono::duration<Rep, Period> span) noexcept {
  const due_time now = std::chrono::steady_clock::now();
  if (seconds_as_double(span) >= endless) return due_time::max();
  if (!(span > span.zero())) return now;
  return now + std::chrono::ceil<due_time::duration>(span);
}
template <class Clock, class Duration>
due_time due_at(std::chrono::time_point<Clock, Duration> at) noexcept {
  const auto now = Clock::now();
  const seconds_as_double left =
      seconds_as_double(at.time_since_epoch()) - seconds_as_double(now.time_since_epoch());
  // Within a century the difference fits the units of both.
  const bool is_near = left < endless && left > -endless;
  return is_near ? due_in(at - now) : due_in(left);
}
inline bool is_over(due_time due) noexcept { return std::chrono::steady_clock::now() >= due; }

class alarms;

class alarm {
 public:
  using function = void (*)(alarm&) noexcept;

  // Throws resource_error if the system refuses the thread, std::bad_alloc; after that nothing
  // fails.
  HEIST_API alarm(function ring, due_time due);
  HEIST_API ~alarm();
  alarm(const alarm&) = delete;
  alarm& operator=(const alarm&) = delete;

  // To be called once. ring(*this) is called at that time, on another thread: it may take short
  // locks and end waits.
  HEIST_API void set() noexcept;

 private:
  friend alarms;
  alarms& alarms_;
  const function ring_;
  const due_time due_;
  std::size_t place_ = 0;  // in the heap, from 1; 0: not there. Guarded by the lock of the alarms
};

// A waiter at Owner with a time limit. Owner::give_up(waiter&), called without any lock, removes it
// from the list if it is still there, and then returns true.
template <class Owner>
struct timed_waiter : waiter, alarm {
  timed_waiter(Owner& o, due_time due) : alarm(&time_is_over, due), owner(o) {}

  // To be called after it has been listed. False if it has given up.
  bool wait_in_time(wait_kind kind) noexcept {
    set();
    point.wait({kind, true, &owner});
    return !has_given_up;
  }

  Owner& owner;
  bool has_given_up = false;  // end() and wait() order the accesses

 private:
  static void time_is_over(alarm& a) noexcept {
    auto& self = static_cast<timed_waiter&>(a);
    // Nobody else ends the wait of a node that was removed from the list here.
    if (!self.owner.give_up(self)) return;
    self.has_given_up = true;
    self.point.end();
  }
};

}  // namespace heist::inline v0::detail
