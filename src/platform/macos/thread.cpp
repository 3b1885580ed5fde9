// A thread's number is its Mach port, by which the barrier and the clock below name it.
#include "platform/thread.hpp"

#include <mach/mach.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "platform/fault_countdown.hpp"

namespace heist::inline v0::platform {

namespace {

constinit fault_countdown thread_faults;
constexpr std::size_t name_limit_bytes = 64;  // MAXTHREADNAMESIZE, the terminating zero included

std::int64_t nanoseconds(const time_value_t& t) noexcept {
  return std::int64_t{t.seconds} * 1'000'000'000 + std::int64_t{t.microseconds} * 1000;
}

}  // namespace

bool thread_start_is_injected_fault() noexcept {
  if (!thread_faults.fails_now()) return false;
  errno = EAGAIN;
  return true;
}

void set_thread_name(const char* name) noexcept {
  std::array<char, name_limit_bytes> cut;
  std::snprintf(cut.data(), cut.size(), "%s", name);
  ::pthread_setname_np(cut.data());  // fails only for names that are too long
}

void set_thread_name(std::string_view prefix, char separator, unsigned number) noexcept {
  std::array<char, name_limit_bytes> name;
  const auto length = static_cast<int>(std::min(prefix.size(), name.size() - 16));
  std::snprintf(name.data(), name.size(), "%.*s%c%u", length, prefix.data(), separator, number);
  ::pthread_setname_np(name.data());
}

std::string thread_name() {
  std::array<char, name_limit_bytes> name{};
  static_cast<void>(::pthread_getname_np(::pthread_self(), name.data(), name.size()));
  return name.data();
}

pid_t thread_id() noexcept {
  return static_cast<pid_t>(::pthread_mach_thread_np(::pthread_self()));
}

bool is_main_thread() noexcept { return ::pthread_main_np() != 0; }

std::int64_t processor_time_of(pid_t thread) noexcept {
  thread_basic_info about{};
  mach_msg_type_number_t words = THREAD_BASIC_INFO_COUNT;
  if (::thread_info(static_cast<thread_t>(thread), THREAD_BASIC_INFO,
                    reinterpret_cast<thread_info_t>(&about), &words) != KERN_SUCCESS)
    return 0;
  return nanoseconds(about.user_time) + nanoseconds(about.system_time);
}

thread_usage usage_of(pid_t thread) noexcept {
  return {static_cast<std::uint64_t>(processor_time_of(thread)), 0, false};
}

signals_held::signals_held() noexcept {
  const int before = errno;
  sigset_t all;
  sigfillset(&all);
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
