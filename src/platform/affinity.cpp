#include "affinity.hpp"

#include <sched.h>

#include <cerrno>
#include <cstddef>

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

bool pin_this_thread(int cpu) noexcept {
  constexpr int most_cpus = 1 << 20;
  if (cpu < 0 || cpu >= most_cpus) {
    errno = EINVAL;
    return false;
  }
  const auto number = static_cast<std::size_t>(cpu);
  cpu_set_t* const set = CPU_ALLOC(number + 1);
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(number + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(number, bytes, set);
  const bool pinned = ::sched_setaffinity(0, bytes, set) == 0;
  const int why = errno;
  CPU_FREE(set);
  errno = why;
  return pinned;
}

}  // namespace heist::inline v0::platform
