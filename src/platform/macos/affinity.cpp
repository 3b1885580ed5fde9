// macOS lets nobody choose a thread's processor.
#include "platform/affinity.hpp"

#include <pthread.h>

#include <cerrno>
#include <cstddef>

namespace heist::inline v0::platform {

int current_cpu() noexcept {
  std::size_t cpu = 0;
  return ::pthread_cpu_number_np(&cpu) == 0 ? static_cast<int>(cpu) : -1;
}

bool forbid_cpu(pid_t, int) noexcept { return false; }
bool allow_cpu(pid_t, int) noexcept { return false; }

bool pin_this_thread(int) noexcept {
  errno = ENOTSUP;
  return false;
}

}  // namespace heist::inline v0::platform
