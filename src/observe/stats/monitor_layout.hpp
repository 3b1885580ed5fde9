// The file through which a process shows what its pools do, for `heist top` (HEIST_MONITOR=1).
//
// It is /dev/shm/heist-monitor.PID, which only its owner may read and write. The process takes a
// snapshot when a reader asks for one, and at no other time: a thread sleeps on a futex meanwhile,
// and no worker writes anything for it.
//
//   reader:   asked += 1; wake; wait until answered == asked; read the snapshot
//   process:  wait until asked != answered; take a snapshot; sequence odd; write; sequence even;
//             answered = asked; wake
//
// Who writes what. asked: readers, with pwrite; two that write at once ask once, and both get that
// answer. All else: the process. A reader takes a snapshot that it read while `sequence` was even
// and didn't change, and trusts none of it: the file may be damaged. It reads with pread and lets
// the kernel look at the futexes, so a file that is cut short meanwhile raises no SIGBUS. The
// process reads `asked` alone, and answers at most once in monitor_pause.
//
// Numbers have the machine's byte order: a reader runs on the same one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <sys/types.h>

#include "heist/stats.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

inline constexpr std::uint64_t monitor_magic = 0x6e6f6d7473696568;  // "heistmon"
inline constexpr std::uint32_t monitor_version = 2;
inline constexpr std::chrono::milliseconds monitor_pause{5};

// Of one process. What is beyond is left out, and said to be.
inline constexpr std::size_t monitor_max_pools = 32;
inline constexpr std::size_t monitor_max_workers = 2048;

struct monitor_header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t pid;
  std::uint64_t start_time;  // platform::process_start_time
  // That the reader was compiled with the same sizes.
  std::uint32_t snapshot_offset, snapshot_bytes;
  std::uint32_t pool_bytes, worker_bytes;
  std::atomic<std::uint32_t> asked, answered, sequence;
};

struct monitor_pool {
  char name[64];            // ends with a 0, as the next; cut to fit
  char policies[128];       // to_string(pool_config)
  std::uint64_t suspended;  // fibers
  std::uint64_t injected;   // functions and fibers that wait to be taken by a worker
  std::uint64_t stacks_in_use, stacks_peak, stacks_mapped;
  std::uint64_t blocking_calls, blocking_threads;  // so far, and now
};

struct monitor_worker {
  std::uint32_t pool;  // its place among the pools
  std::uint32_t index;
  std::uint32_t state;      // worker_state
  std::uint32_t is_caller;  // a thread from outside works in its place
  std::uint64_t tid;
  std::uint64_t depth;  // jobs on its deque
  counters counts;
};

struct monitor_snapshot {
  std::uint64_t taken_ns;  // CLOCK_MONOTONIC
  std::uint32_t pools, workers;
  std::uint64_t left_out;  // workers
  monitor_pool pool[monitor_max_pools];
  monitor_worker worker[monitor_max_workers];

  // What of it is written and read.
  [[nodiscard]] std::size_t used_bytes() const noexcept {
    return offsetof(monitor_snapshot, worker) + workers * sizeof(monitor_worker);
  }
};

inline constexpr std::size_t monitor_snapshot_offset = 4096;
static_assert(sizeof(monitor_header) <= monitor_snapshot_offset);
static_assert(std::is_trivially_copyable_v<monitor_snapshot>);
static_assert(sizeof(monitor_pool) % 8 == 0 && sizeof(monitor_worker) % 8 == 0);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

inline constexpr std::size_t monitor_file_bytes =
    monitor_snapshot_offset + sizeof(monitor_snapshot);
inline constexpr const char* monitor_folder = "/dev/shm";
inline constexpr const char* monitor_prefix = "heist-monitor.";

[[nodiscard]] inline std::string monitor_path(pid_t pid) {
  return std::string(monitor_folder) + "/" + monitor_prefix + std::to_string(pid);
}

}  // namespace heist::inline v0::detail
