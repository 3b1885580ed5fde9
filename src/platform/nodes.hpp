// NUMA nodes: which processors are near which memory, and where pages lie.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heist::inline v0::platform {

struct numa_node {
  int number;             // the kernel's
  std::vector<int> cpus;  // of this thread's affinity mask, ascending; at least one
};

// The nodes that have processors which this thread may use, ascending; a node with memory only is
// none of them. One node of all processors, with number 0, where the system tells of none. Reads a
// file for each node. `folder`: tests have made-up ones.
[[nodiscard]] std::vector<numa_node> usable_nodes(
    const std::string& folder = "/sys/devices/system/node");

// For tests: what usable_nodes() answers from then on; empty: the truth.
void set_nodes_for_test(std::vector<numa_node> nodes);

// The kernel's number of the node where that page lies; -1: there is no page yet, or the system
// doesn't tell. A system call.
[[nodiscard]] int node_of_page(const void* address) noexcept;

// Whole pages, which will lie on all nodes with memory in turns; on the first one that touches them
// where the kernel refuses that. nullptr: there is no memory.
[[nodiscard]] void* allocate_interleaved(std::size_t bytes) noexcept;
void free_interleaved(void* p, std::size_t bytes) noexcept;

}  // namespace heist::inline v0::platform
