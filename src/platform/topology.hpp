// The machine's shape: packages, NUMA nodes, caches, cores, and how near two processors are.
//
// Asked for by `heist info`, by pinning and by nearest-victim stealing; nobody else pays. hwloc
// knows it; it is loaded with dlopen when asked, since linking it would cost every program 6 MB and
// some milliseconds. Without hwloc there is no topology, and callers do without.
//
// A "cpu" here is a processing unit (PU, a hardware thread) by the number that the kernel gives it,
// as in affinity masks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heist::inline v0::platform {

// How near two processors are, nearest first; the numbers can be compared.
enum class proximity : int {
  same_pu = 0,
  same_core = 1,  // or the same L2 cache
  same_l3 = 2,
  same_node = 3,  // the same NUMA node
  same_package = 4,
  remote = 5,
};

// "the same L3 cache": what two processors so near have in common.
[[nodiscard]] std::string_view to_string(proximity how) noexcept;

struct cache {
  int level;  // 1 to 5
  std::uint64_t bytes;
  std::vector<int> cpus;  // that share it, ascending
};

// Where one processor stands. Groups are numbered from 0 in the machine; -1: there is none (a
// virtual machine may show no caches).
struct cpu_place {
  int cpu;
  int core;
  int l2;
  int l3;
  int node;
  int package;
};

struct topology {
  int packages;
  int nodes;
  int cores;
  std::vector<cpu_place> cpus;  // ascending by cpu
  std::vector<cache> caches;    // data and unified caches; by level, then by first cpu
  // The cpus of each kind where some are faster than others, the slowest kind first; else empty.
  std::vector<std::vector<int>> kinds;

  // remote if either is not in the topology.
  [[nodiscard]] proximity distance(int cpu, int other) const;

  // `others` without `cpu` itself, nearest first; as many as are equally near keep their order.
  [[nodiscard]] std::vector<int> nearest_first(int cpu, std::span<const int> others) const;

  // One line: "1 package, 2 cores, 2 PUs, L2 1 MiB x2, L3 32 MiB x1"; where there are kinds,
  // "8 PUs (4 slower, 4 faster)".
  [[nodiscard]] std::string summary() const;
};

// What to load: tests name hwloc's synthetic machines ("package:2 l3:1 core:4 pu:2") and libraries
// that aren't there.
struct topology_request {
  const char* synthetic = nullptr;
  const char* library = "libhwloc.so.15";
};

struct topology_result {
  std::optional<topology> found;
  std::string reason;  // why not; empty if found
};

// Loads hwloc, asks it, and unloads it again. Costs milliseconds and, while it runs, megabytes.
// Thread-safe; while another thread asks, it waits for a tenth of a second and is then refused.
[[nodiscard]] topology_result load_topology(const topology_request& request);

// The same of this machine; what is kept, where it is.
[[nodiscard]] topology_result load_topology();

// Keeps what load_topology() says: who must hold a lock of ours when it asks calls this before, for
// this takes the loader's lock (as for keep_code_loaded() in process.hpp). Thread-safe.
void keep_topology();

}  // namespace heist::inline v0::platform
