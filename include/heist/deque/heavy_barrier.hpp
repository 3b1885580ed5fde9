// The heavy half of the asymmetric barrier, for thieves of a split deque that expose an owner's items.
//
// The owner of a split deque orders its stores before its loads with nothing but a compiler barrier. Whoever relies
// on that order pays instead: heavy_barrier() makes the owner's thread execute a full memory barrier.
//
// It needs the library (link heist::heist); the deques themselves are headers only.
#pragma once

#include "heist/detail/requirements.hpp"
#include "heist/detail/visibility.hpp"

namespace heist::inline v0::deque {

// A thread that heavy_barrier() can reach. Where the system refuses membarrier(2), as some containers do, a
// signal is sent to that thread, so it must be known, and must let the signal through.
class heavy_barrier_target {
 public:
  // The calling thread. Unblocks the signal in it: a thread that blocks it again later makes those that
  // call heavy_barrier() wait until it unblocks it. A deque that gets another owner thread needs another target.
  // resource_error: membarrier is refused and no real-time signal is free; usage_error: HEIST_BARRIER has a
  // value that it can't have. One or two system calls.
  [[nodiscard]] HEIST_API static heavy_barrier_target this_thread();

 private:
  friend HEIST_API void heavy_barrier(heavy_barrier_target) noexcept;
  explicit heavy_barrier_target(int tid) noexcept : tid_(tid) {}

  int tid_;
};

// After it returns, that thread has executed a full memory barrier between the call and the return, and so
// has the caller. By membarrier(2) a few microseconds; by the signal it waits for the thread to be scheduled. A
// thread that has ended counts as having executed it. Thread-safe; not async-signal-safe.
HEIST_API void heavy_barrier(heavy_barrier_target owner) noexcept;

}  // namespace heist::inline v0::deque
