#include "platform/thread.hpp"

#include <windows.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "platform/fault_countdown.hpp"

namespace heist::inline v0::platform {

namespace {

constinit fault_countdown thread_faults;

constexpr std::size_t name_limit = 64;  // characters, the terminating zero included

// Windows 10 1607 and newer have them; mingw-w64's older import libraries don't.
using set_description = HRESULT(WINAPI*)(HANDLE thread, PCWSTR name);
using get_description = HRESULT(WINAPI*)(HANDLE thread, PWSTR* name);

template <class Function>
Function look_up(const char* name) noexcept {
  for (const char* const file :
       {"kernel32.dll", "kernelbase.dll"}) {  // 1607 has them in the latter
    const HMODULE library = ::GetModuleHandleA(file);
    const FARPROC found = library == nullptr ? nullptr : ::GetProcAddress(library, name);
    if (found != nullptr) return reinterpret_cast<Function>(reinterpret_cast<void*>(found));
  }
  return nullptr;
}

std::int64_t nanoseconds(const FILETIME& t) noexcept {
  constexpr std::int64_t unit = 100;
  return (std::int64_t{t.dwHighDateTime} << 32 | t.dwLowDateTime) * unit;
}

DWORD first_thread = 0;
// The loader runs this on the thread that begins the program, if the library is linked into it.
[[gnu::constructor]] void note_first_thread() noexcept { first_thread = ::GetCurrentThreadId(); }

}  // namespace

bool thread_start_is_injected_fault() noexcept {
  if (!thread_faults.fails_now()) return false;
  errno = EAGAIN;
  return true;
}

void set_thread_name(const char* name) noexcept {
  const auto set = look_up<set_description>("SetThreadDescription");
  if (set == nullptr) return;
  std::array<wchar_t, name_limit> wide{};
  ::MultiByteToWideChar(CP_UTF8, 0, name, -1, wide.data(), static_cast<int>(wide.size()) - 1);
  set(::GetCurrentThread(), wide.data());
}

void set_thread_name(std::string_view prefix, char separator, unsigned number) noexcept {
  std::array<char, name_limit> name;
  const auto length = static_cast<int>(std::min(prefix.size(), name.size() - 16));
  std::snprintf(name.data(), name.size(), "%.*s%c%u", length, prefix.data(), separator, number);
  set_thread_name(name.data());
}

std::string thread_name() {
  const auto get = look_up<get_description>("GetThreadDescription");
  PWSTR wide = nullptr;
  if (get == nullptr || get(::GetCurrentThread(), &wide) < 0) return {};
  std::array<char, 4 * name_limit> name{};
  ::WideCharToMultiByte(CP_UTF8, 0, wide, -1, name.data(), static_cast<int>(name.size()) - 1,
                        nullptr, nullptr);
  ::LocalFree(wide);
  return name.data();
}

pid_t thread_id() noexcept { return static_cast<pid_t>(::GetCurrentThreadId()); }

bool is_main_thread() noexcept { return ::GetCurrentThreadId() == first_thread; }

std::int64_t processor_time_of(pid_t id) noexcept {
  const HANDLE thread =
      ::OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(id));
  if (thread == nullptr) return 0;
  FILETIME began{};
  FILETIME ended{};
  FILETIME kernel{};
  FILETIME user{};
  const bool found = ::GetThreadTimes(thread, &began, &ended, &kernel, &user) != 0;
  ::CloseHandle(thread);
  return found ? nanoseconds(kernel) + nanoseconds(user) : 0;
}

thread_usage usage_of(pid_t thread) noexcept {
  return {static_cast<std::uint64_t>(processor_time_of(thread)), 0, false};
}

signals_held::signals_held() noexcept = default;
signals_held::~signals_held() = default;

void set_thread_faults_for_test(long after_n) noexcept { thread_faults.arm(after_n); }

}  // namespace heist::inline v0::platform
