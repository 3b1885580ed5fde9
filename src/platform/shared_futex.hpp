// Futexes in memory that processes share, and what tells one process from another of the same
// number.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

namespace heist::inline v0::platform {

// Sleeps while the word is `seen`; nullptr: without a limit. May return at any time. The kernel
// reads the word: memory that is gone ends the wait, and no signal comes.
inline void shared_futex_wait(const void* word, std::uint32_t seen,
                              const timespec* limit = nullptr) noexcept {
  ::syscall(SYS_futex, word, FUTEX_WAIT, seen, limit, nullptr, 0);
}
inline void shared_futex_wake_all(const void* word) noexcept {
  ::syscall(SYS_futex, word, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
}

// When the process began, in the kernel's unit since the machine started (proc(5), field 22 of
// stat); nothing if there is no such process. With its number it names one process only.
[[nodiscard]] std::optional<std::uint64_t> process_start_time(pid_t pid) noexcept;

}  // namespace heist::inline v0::platform
