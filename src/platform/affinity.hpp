// Where threads run, and where they may.
#pragma once

#include <sys/types.h>

namespace heist::inline v0::platform {

// The processor that runs the calling thread, which may be another one right afterwards; -1: not
// known. Takes a few ns.
[[nodiscard]] int current_cpu() noexcept;

// Takes `cpu` from those that a thread of this process may run on, or adds it. False if the system
// refuses: the thread may run nowhere else, the machine has more processors than a cpu_set_t can
// hold, or a filter of system calls forbids it. Two system calls; not atomic against others that
// change the same thread's mask.
[[nodiscard]] bool forbid_cpu(pid_t thread, int cpu) noexcept;
bool allow_cpu(pid_t thread, int cpu) noexcept;

// Binds the calling thread to one processor. False, with errno, if the kernel refuses: EINVAL for
// one that doesn't exist or isn't allowed to this process.
[[nodiscard]] bool pin_this_thread(int cpu) noexcept;

}  // namespace heist::inline v0::platform
