// The asymmetric barrier: a full memory barrier that one thread makes all the others execute, so
// that they need none of their own on the path that runs a hundred million times.
//
// Roles. The fast side (an owner) orders a store before a later load with light_barrier(), which is
// only a compiler barrier. The slow side (a thief, a thread about to sleep) stores, calls
// heavy_barrier() and then loads. Of two such pairs at least one side sees the other's store, as if
// both had a seq_cst fence between the two.
//
//   membarrier   membarrier(2), PRIVATE_EXPEDITED: the kernel interrupts every processor that runs
//                a thread of this process; threads that don't run pass a full barrier when they are
//                scheduled. A few microseconds.
//   signal       where the kernel refuses (ENOSYS, a seccomp filter): a real-time signal to each
//                thread named, whose handler fences and acknowledges. Ten times that, and it waits
//                for each of them to be scheduled.
//
// Windows and macOS have other forms: windows/barrier.cpp and macos/barrier.cpp name them.
//
// Registration belongs to the address space (mm): fork() copies it in the kernels known to us,
// execve drops it. The code doesn't rely on the first: a call that is refused because the process
// isn't registered registers it and tries again.
//
// C++ has no name for this (P1202 proposes one); Linux does the same for RCU and sys_membarrier's
// manual states it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <optional>
#include <span>
#include <string_view>

namespace heist::inline v0::platform {

enum class barrier_kind { membarrier, signal };

// The values of HEIST_BARRIER: "membarrier", "signal". Throws usage_error for any other text.
[[nodiscard]] barrier_kind parse_barrier_kind(std::string_view text);

// For `heist info`.
[[nodiscard]] std::string_view name_of(barrier_kind kind) noexcept;

// The fast side's half. seq_cst, though it makes no instruction: it keeps the compiler from
// moving anything across.
inline void light_barrier() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }

// One per process, since the registration and the signal handler are the process's.
class asymmetric_barrier {
 public:
  // Made at the first call: reads HEIST_BARRIER, asks the kernel, registers. Throws usage_error for
  // a bad value (and again at the next call), resource_error if membarrier is refused and no
  // real-time signal is free. Pools call it when they are made, so that the errors come there.
  // Thread-safe.
  static asymmetric_barrier& instance();

  [[nodiscard]] barrier_kind kind() const noexcept;

  // Every thread that others may name in heavy_barrier calls this once: it unblocks the fallback's
  // signal for the calling thread. A thread that blocks the signal later makes requesters wait
  // until it unblocks it. One system call.
  void admit_this_thread() const noexcept;

  // After it returns, every thread of this process that `tids` names has executed a full memory
  // barrier at some point between the call and the return, and so has the caller (with membarrier:
  // every thread of the process, and `tids` isn't looked at). A thread that has exited counts; its
  // exit was a barrier. An entry may be changed meanwhile, by relaxed atomic stores; either number
  // is asked then. Any number of threads may call at once, also about each other. Not
  // async-signal-safe. noexcept: what could be refused was asked for when the instance was made; a
  // call for which the kernel refuses membarrier after all (no memory, a seccomp filter installed
  // later) is done by signals.
  void heavy_barrier(std::span<const pid_t> tids) noexcept;

  asymmetric_barrier(const asymmetric_barrier&) = delete;
  asymmetric_barrier& operator=(const asymmetric_barrier&) = delete;

 private:
  constexpr asymmetric_barrier() noexcept = default;
  friend void set_barrier_kind_for_test(std::optional<barrier_kind> kind);

  // Written when it is made, and by tests. Relaxed: the value decides which system call is made,
  // and either is right at any time, so a stale one is too.
  std::atomic<barrier_kind> kind_{barrier_kind::membarrier};
};

// Makes instance() use that kind from now on; nullopt: what HEIST_BARRIER or the kernel says.
// Throws as instance() does.
void set_barrier_kind_for_test(std::optional<barrier_kind> kind);

}  // namespace heist::inline v0::platform
