// The processors of the process's affinity mask, and the hard cap of its job object, by which
// Windows containers limit processor time. A process in more than one processor group (64
// processors each) uses the first one's only.
#include "platform/cpu_count.hpp"

#include <windows.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "platform/machine_load.hpp"
#include "platform/nodes.hpp"

namespace heist::inline v0::platform {

namespace {

std::optional<double> job_quota() {
  JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate{};
  if (::QueryInformationJobObject(nullptr, JobObjectCpuRateControlInformation, &rate, sizeof(rate),
                                  nullptr) == 0)
    return std::nullopt;
  constexpr DWORD hard = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
  constexpr double whole_machine = 10'000;
  if ((rate.ControlFlags & hard) != hard || rate.CpuRate == 0) return std::nullopt;
  return rate.CpuRate / whole_machine * machine_cpus();
}

}  // namespace

unsigned machine_cpus() noexcept {
  SYSTEM_INFO about{};
  ::GetSystemInfo(&about);
  return std::max(1U, static_cast<unsigned>(about.dwNumberOfProcessors));
}

cpu_limits find_cpu_limits(const cpu_sources&) {
  cpu_limits limits{};
  limits.affinity = static_cast<int>(affinity_cpus().size());
  if (limits.affinity == 0) limits.affinity = static_cast<int>(machine_cpus());
  limits.workers = limits.affinity;
  limits.quota = job_quota();
  if (limits.quota) {
    limits.quota_source = "job object";
    limits.workers = std::clamp(static_cast<int>(std::ceil(*limits.quota)), 1, limits.workers);
  }
  return limits;
}

std::vector<int> affinity_cpus(std::size_t) {
  DWORD_PTR process = 0;
  DWORD_PTR system = 0;
  std::vector<int> members;
  if (::GetProcessAffinityMask(::GetCurrentProcess(), &process, &system) == 0) return members;
  for (int cpu = 0; process != 0; ++cpu, process >>= 1U)
    if ((process & 1U) != 0) members.push_back(cpu);
  return members;
}

// The system doesn't tell.
machine_load::machine_load() = default;
std::optional<double> machine_load::of_others() const { return std::nullopt; }

// One node of all processors.
std::vector<numa_node> usable_nodes(const std::string&) { return {{0, affinity_cpus()}}; }
void set_nodes_for_test(std::vector<numa_node>) {}
int node_of_page(const void*) noexcept { return -1; }
void* allocate_interleaved(std::size_t bytes) noexcept { return std::malloc(bytes); }
void free_interleaved(void* p, std::size_t) noexcept { std::free(p); }

}  // namespace heist::inline v0::platform
