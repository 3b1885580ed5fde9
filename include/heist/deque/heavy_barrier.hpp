// The heavy half of the asymmetric barrier, for thieves of a split deque that expose an owner's
// items.
//
// The owner of a split deque orders its stores before its loads with nothing but a compiler
// barrier. A thread that relies on that order pays instead: heavy_barrier() makes the owner's
// thread execute a full memory barrier.
//
// It needs the library (link heist::heist); the deques themselves are header-only.
#pragma once

#include <cstddef>

#include "heist/detail/requirements.hpp"
#include "heist/detail/visibility.hpp"

namespace heist::inline v0::deque {

// A thread that heavy_barrier() can reach. Where the system refuses membarrier(2), as some
// containers do, a signal is sent to that thread, so it must be known, and must let the signal
// through.
class heavy_barrier_target {
 public:
  // Returns the target for the calling thread, and unblocks the signal in it: if the thread blocks
  // the signal again later, callers of heavy_barrier() wait until it unblocks it. A deque that gets
  // another owner thread needs another target. Throws resource_error if membarrier is refused and
  // no real-time signal is free, usage_error if HEIST_BARRIER has an invalid value. One or two
  // system calls.
  [[nodiscard]] HEIST_API static heavy_barrier_target this_thread();

 private:
  friend HEIST_API void heavy_barrier(heavy_barrier_target) noexcept;
  friend HEIST_API void heavy_barrier(const heavy_barrier_target*, std::size_t) noexcept;
  explicit heavy_barrier_target(int tid) noexcept : tid_(tid) {}

  int tid_;
};

// Makes that thread and the caller execute a full memory barrier between the call and the return.
// With membarrier(2) it takes a few microseconds; with the signal it waits until the thread is
// scheduled. A thread that has ended counts as having executed the barrier. Thread-safe; not
// async-signal-safe.
HEIST_API void heavy_barrier(heavy_barrier_target owner) noexcept;

// The same for `count` threads. With membarrier(2) up to 64 of them cost no more than one.
HEIST_API void heavy_barrier(const heavy_barrier_target* owners, std::size_t count) noexcept;

}  // namespace heist::inline v0::deque
