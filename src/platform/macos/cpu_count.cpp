// The processors that are on: macOS has neither affinity masks nor quotas.
#include "platform/cpu_count.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "platform/machine_load.hpp"
#include "platform/nodes.hpp"

namespace heist::inline v0::platform {

unsigned machine_cpus() noexcept {
  return static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

cpu_limits find_cpu_limits(const cpu_sources&) {
  const auto cpus = static_cast<int>(machine_cpus());
  return {.affinity = cpus, .quota = std::nullopt, .quota_source = "", .workers = cpus};
}

std::vector<int> affinity_cpus(std::size_t) {
  std::vector<int> all(machine_cpus());
  std::iota(all.begin(), all.end(), 0);
  return all;
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
