// Within the processor group of the caller, which holds at most 64 processors.
#include "platform/affinity.hpp"

#include <windows.h>

#include <cerrno>

namespace heist::inline v0::platform {

int current_cpu() noexcept { return static_cast<int>(::GetCurrentProcessorNumber()); }

// Windows tells the mask of another thread only by setting it, so a wake-up takes no processor out
// of it (docs/adr/0007-a-waker-keeps-its-processor.md): the system chooses.
void common_mask::note() noexcept {}
bool common_mask::forbid(pid_t, int) const noexcept { return false; }
void common_mask::restore(pid_t) const noexcept {}

bool bind_this_thread(std::span<const int> cpus) noexcept {
  constexpr int group_size = 64;
  DWORD_PTR mask = 0;
  for (const int cpu : cpus)
    if (cpu >= 0 && cpu < group_size) mask |= DWORD_PTR{1} << static_cast<unsigned>(cpu);
  if (mask != 0 && ::SetThreadAffinityMask(::GetCurrentThread(), mask) != 0) return true;
  errno = EINVAL;
  return false;
}

}  // namespace heist::inline v0::platform
