// How many processors this process may use: the default number of workers.
//
// The machine's number is the wrong answer in two ways. An affinity mask (taskset, cpusets, a
// container's --cpuset-cpus) leaves fewer processors; a CPU quota (docker --cpus, a Kubernetes
// limit, systemd's CPUQuota) leaves the processors and takes the time: more workers than the quota
// are throttled all at once, in the middle of what others wait for. So it is the smaller of the
// two, the quota rounded up, and at least 1.
//
// The quota is the tightest of the process's cgroup and all its ancestors, in every hierarchy that
// has one: version 2's cpu.max, version 1's cpu.cfs_quota_us and cpu.cfs_period_us. Whatever can't
// be read or understood counts as no quota: a default must never keep a program from running.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace heist::inline v0::platform {

struct cpu_limits {
  int affinity;                 // processors in the affinity mask
  std::optional<double> quota;  // processors' worth of time, e.g. 1.5; nullopt: unlimited
  std::string quota_source;     // the file that set the quota; empty without one
  int workers;                  // the default number of workers, at least 1
};

// Where the files are: tests set these to made-up trees.
struct cpu_sources {
  std::string proc_root = "/proc";  // holds self/cgroup and self/mountinfo
  std::string mount_prefix;         // put before every mount point that mountinfo names
};

// Reads everything anew at each call (some file reads, 100 us): both limits may change while a
// process runs.
[[nodiscard]] cpu_limits find_cpu_limits(const cpu_sources& sources = {});

// The processors that the machine runs, at least 1.
[[nodiscard]] unsigned machine_cpus() noexcept;

// The processors in this thread's affinity mask, ascending; empty if the kernel won't say.
// `first_guess_cpus` is how large a mask is tried first; machines with more processors than that
// need another try.
[[nodiscard]] std::vector<int> affinity_cpus(std::size_t first_guess_cpus = 1024);

}  // namespace heist::inline v0::platform
