// See thread.hpp. The file exists for the state of the fault injection and to keep <pthread.h> out
// of the header.
#include "thread.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "affinity.hpp"
#include "fault_countdown.hpp"

namespace heist::inline v0::platform {

namespace {

constinit fault_countdown thread_faults;

constexpr std::size_t name_limit_bytes = 16;  // TASK_COMM_LEN, the terminating zero included

}  // namespace

bool thread_start_is_injected_fault() noexcept {
  if (!thread_faults.fails_now()) return false;
  errno = EAGAIN;
  return true;
}

void set_thread_name(const char* name) noexcept {
  char cut[name_limit_bytes] = {};
  std::strncpy(cut, name, name_limit_bytes - 1);
  ::pthread_setname_np(::pthread_self(), cut);  // fails only for names that are too long
}

void set_thread_name(std::string_view prefix, char separator, unsigned number) noexcept {
  char name[name_limit_bytes];
  const auto length = static_cast<int>(std::min(prefix.size(), name_limit_bytes));
  std::snprintf(name, sizeof name, "%.*s%c%u", length, prefix.data(), separator, number);
  ::pthread_setname_np(::pthread_self(), name);
}

std::string thread_name() {
  char name[name_limit_bytes] = "";
  static_cast<void>(::pthread_getname_np(::pthread_self(), name, sizeof(name)));
  return name;
}

pid_t thread_id() noexcept { return static_cast<pid_t>(::syscall(SYS_gettid)); }

bool is_main_thread() noexcept { return thread_id() == ::getpid(); }

// The number of the clock is the kernel's ABI, as pthread_getcpuclockid() makes it.
std::int64_t processor_time_of(pid_t thread) noexcept {
  constexpr clockid_t per_thread = 4;
  constexpr clockid_t by_scheduler = 2;
  const auto of_thread = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) |
                                                unsigned{per_thread | by_scheduler});
  timespec used{};
  if (::clock_gettime(of_thread, &used) != 0) return 0;
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

namespace {

// The second of the three numbers. False: it isn't one.
bool read_ready_ns(int schedstat, std::uint64_t& ready_ns) noexcept {
  char text[96];
  const ssize_t length = ::pread(schedstat, text, sizeof(text) - 1, 0);
  if (length <= 0) return false;
  text[length] = '\0';
  char* rest = nullptr;
  static_cast<void>(std::strtoull(text, &rest, 10));
  if (*rest != ' ') return false;
  ready_ns = std::strtoull(rest, nullptr, 10);
  return true;
}

}  // namespace

thread_usage usage_of(pid_t thread) noexcept {
  const int before = errno;
  thread_usage u;
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", static_cast<int>(thread));
  u.processor_ns = static_cast<std::uint64_t>(processor_time_of(thread));
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  u.knows_ready = file >= 0 && read_ready_ns(file, u.ready_ns);
  if (file >= 0) ::close(file);
  errno = before;
  return u;
}

signals_held::signals_held() noexcept {
  const int before = errno;
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  errno = before;
}

// Keeps errno: it says why a thread was refused.
signals_held::~signals_held() {
  const int before = errno;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = before;
}

void set_thread_faults_for_test(long after_n) noexcept { thread_faults.arm(after_n); }

}  // namespace heist::inline v0::platform

// ---- affinity.hpp

namespace heist::inline v0::platform {

int current_cpu() noexcept { return ::sched_getcpu(); }

namespace {

bool has_processors_offline() noexcept {
  std::array<std::array<char, 256>, 2> lists{};
  constexpr std::array files = {"/sys/devices/system/cpu/present",
                                "/sys/devices/system/cpu/online"};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const int file = ::open(files[i], O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;  // no such files, hence nobody who takes processors away
    const ssize_t length = ::read(file, lists[i].data(), lists[i].size());
    ::close(file);
    if (length < 0) return false;
  }
  return lists[0] != lists[1];
}

}  // namespace

void common_mask::note() noexcept {
  static_assert(sizeof words_ == sizeof(cpu_set_t));
  words_ = {};
  cpu_set_t set;
  if (has_processors_offline() || ::sched_getaffinity(0, sizeof set, &set) != 0) return;
  std::memcpy(words_.data(), &set, sizeof set);
}

bool common_mask::forbid(pid_t thread, int cpu) const noexcept {
  cpu_set_t set;
  if (cpu < 0 || cpu >= CPU_SETSIZE || ::sched_getaffinity(thread, sizeof set, &set) != 0 ||
      std::memcmp(words_.data(), &set, sizeof set) != 0 || !CPU_ISSET(cpu, &set) ||
      CPU_COUNT(&set) == 1)
    return false;
  CPU_CLR(cpu, &set);
  return ::sched_setaffinity(thread, sizeof set, &set) == 0;
}

void common_mask::restore(pid_t thread) const noexcept {
  cpu_set_t set;
  std::memcpy(&set, words_.data(), sizeof set);
  (void)::sched_setaffinity(thread, sizeof set, &set);
}

bool bind_this_thread(std::span<const int> cpus) noexcept {
  constexpr int most_cpus = 1 << 20;
  const auto [least, greatest] = std::minmax_element(cpus.begin(), cpus.end());
  if (cpus.empty() || *least < 0 || *greatest >= most_cpus) {
    errno = EINVAL;
    return false;
  }
  const std::size_t cpus_n = static_cast<std::size_t>(*greatest) + 1;
  cpu_set_t* const set = CPU_ALLOC(cpus_n);
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(cpus_n);
  CPU_ZERO_S(bytes, set);
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
  const bool bound = ::sched_setaffinity(0, bytes, set) == 0;
  const int why = errno;
  CPU_FREE(set);
  errno = why;
  return bound;
}

}  // namespace heist::inline v0::platform
