// A wait that somebody else ends, once: what futures, locks and channels are made of.
#pragma once

#include "heist/detail/export.hpp"
#include "heist/detail/rendezvous.hpp"

namespace heist::inline v0::detail {

// One party waits, one ends the wait, in any order. It lies where the waiter wants it, usually on its stack,
// and is used once.
class wait_point {
 public:
  constexpr wait_point() noexcept = default;
  wait_point(const wait_point&) = delete;
  wait_point& operator=(const wait_point&) = delete;

  // Returns when end() has been called. A worker's fiber is suspended: the forks and spawners that it has
  // open are left to other workers first, and the thread does other work. It can go on on another thread.
  // Any other thread sleeps.
  HEIST_API void wait() noexcept;

  // The waiter goes on, and sees what happened before this. Returns at once; *this may be gone by then.
  // Thread-safe, from any thread. Costs an exchange, and what it takes to make a waiting fiber ready
  // or to wake a thread.
  HEIST_API void end() noexcept;

 private:
  rendezvous state_{};
};

// Tells one running fiber from another; nullptr on a thread outside any pool.
HEIST_API const void* current_fiber() noexcept;

}  // namespace heist::inline v0::detail
