// Where threads run, and where they may.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <span>

namespace heist::inline v0::platform {

// The processor that runs the calling thread, which may be another one right afterwards; -1: not
// known. Takes a few ns.
[[nodiscard]] int current_cpu() noexcept;

// The mask that threads of this process have in common: one of its processors may be taken from one
// of them for a while. What is given back is this mask and not what the system says that the thread
// has at that moment: Linux leaves out processors that are offline, so the thread would never use
// those again.
class common_mask {
 public:
  // Notes the calling thread's mask, or an empty one where the machine has a processor that is
  // offline just now. Two short files of the kernel.
  void note() noexcept;

  // Takes `cpu` from a thread. False if its mask isn't the noted one, has no other processor, or
  // the system refuses. Two system calls; not atomic against others that change the same mask.
  [[nodiscard]] bool forbid(pid_t thread, int cpu) const noexcept;
  // Gives it back. One system call.
  void restore(pid_t thread) const noexcept;

 private:
  std::array<std::uint64_t, 16> words_{};  // a cpu_set_t; empty where the machine has more
};

// Binds the calling thread to these processors. False, with errno, if the kernel refuses: EINVAL
// where none of them exists and is allowed to this process.
[[nodiscard]] bool bind_this_thread(std::span<const int> cpus) noexcept;
[[nodiscard]] inline bool pin_this_thread(int cpu) noexcept { return bind_this_thread({&cpu, 1}); }

}  // namespace heist::inline v0::platform
