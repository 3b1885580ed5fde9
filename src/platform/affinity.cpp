#include "affinity.hpp"

#include <sched.h>

namespace heist::inline v0::platform {

int current_cpu() noexcept { return ::sched_getcpu(); }

bool forbid_cpu(pid_t thread, int cpu) noexcept {
  cpu_set_t set;
  if (cpu < 0 || cpu >= CPU_SETSIZE || ::sched_getaffinity(thread, sizeof(set), &set) != 0)
    return false;
  if (!CPU_ISSET(cpu, &set) || CPU_COUNT(&set) == 1) return false;
  CPU_CLR(cpu, &set);
  return ::sched_setaffinity(thread, sizeof(set), &set) == 0;
}

bool allow_cpu(pid_t thread, int cpu) noexcept {
  cpu_set_t set;
  if (cpu < 0 || cpu >= CPU_SETSIZE || ::sched_getaffinity(thread, sizeof(set), &set) != 0)
    return false;
  CPU_SET(cpu, &set);
  return ::sched_setaffinity(thread, sizeof(set), &set) == 0;
}

}  // namespace heist::inline v0::platform
