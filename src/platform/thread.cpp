// See thread.hpp. The file exists for the state of the fault injection and to keep <pthread.h> out
// of the header.
#include "thread.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

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

pid_t thread_id() noexcept { return static_cast<pid_t>(::syscall(SYS_gettid)); }

void set_thread_faults_for_test(long after_n) noexcept { thread_faults.arm(after_n); }

}  // namespace heist::inline v0::platform
