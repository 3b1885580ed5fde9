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

void common_mask::note() noexcept {}
bool common_mask::forbid(pid_t, int) const noexcept { return false; }
void common_mask::restore(pid_t) const noexcept {}

bool bind_this_thread(std::span<const int>) noexcept {
  errno = ENOTSUP;
  return false;
}

}  // namespace heist::inline v0::platform
