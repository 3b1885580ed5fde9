// The asymmetric barrier on Windows. What it promises: barrier.hpp.
//
//   flush     FlushProcessWriteBuffers: an interrupt to every processor that runs a thread of this
//             process. It is barrier_kind::membarrier.
//   suspend   each thread named is suspended, its registers are read, and it goes on. Windows
//             suspends a thread some time after the call, but GetThreadContext returns only when it
//             doesn't run; a thread that leaves its processor and comes back has passed barriers.
//             It is barrier_kind::signal, and takes some ten times as long.
//
// Wine has the first call, and up to version 8 at least it does nothing there ("fixme:
// NtFlushProcessWriteBuffers stub"), so under Wine the second is used.
//
// Who writes what. one_at_a_time: requesters. While a requester holds it, nobody else suspends
// anything, so two of them can't suspend each other.
#include "platform/barrier.hpp"

#include <windows.h>

#include <mutex>
#include <string>

#include "heist/error.hpp"
#include "platform/once.hpp"
#include "platform/process.hpp"
#include "platform/process_mutex.hpp"

namespace heist::inline v0::platform {

namespace {

constinit process_mutex one_at_a_time;

bool runs_under_wine() noexcept {
  const HMODULE ntdll = ::GetModuleHandleA("ntdll.dll");
  return ntdll != nullptr && ::GetProcAddress(ntdll, "wine_get_version") != nullptr;
}

void suspend_and_resume(pid_t tid) noexcept {
  constexpr DWORD rights = THREAD_SUSPEND_RESUME | THREAD_GET_CONTEXT;
  const HANDLE thread = ::OpenThread(rights, FALSE, static_cast<DWORD>(tid));
  if (thread == nullptr) return;  // it has ended
  if (::SuspendThread(thread) != static_cast<DWORD>(-1)) {
    alignas(16) CONTEXT registers;
    registers.ContextFlags = CONTEXT_CONTROL;
    ::GetThreadContext(thread, &registers);
    ::ResumeThread(thread);
  }
  ::CloseHandle(thread);
}

barrier_kind wanted_kind() {
  const char* const text = environment_variable("HEIST_BARRIER");
  if (text != nullptr) return parse_barrier_kind(text);
  return runs_under_wine() ? barrier_kind::signal : barrier_kind::membarrier;
}

}  // namespace

barrier_kind parse_barrier_kind(std::string_view text) {
  if (text == "flush") return barrier_kind::membarrier;
  if (text == "suspend") return barrier_kind::signal;
  throw usage_error("HEIST_BARRIER=" + std::string(text) + ": not one of flush, suspend");
}

std::string_view name_of(barrier_kind kind) noexcept {
  return kind == barrier_kind::membarrier ? "flush" : "suspend";
}

asymmetric_barrier& asymmetric_barrier::instance() {
  static constinit asymmetric_barrier only;
  static constinit once_flag made;
  made.call([] { only.kind_.store(wanted_kind(), std::memory_order_relaxed); });
  return only;
}

barrier_kind asymmetric_barrier::kind() const noexcept {
  return kind_.load(std::memory_order_relaxed);  // see the field
}

void asymmetric_barrier::admit_this_thread() const noexcept {}  // any thread can be suspended

void asymmetric_barrier::heavy_barrier(std::span<const pid_t> tids) noexcept {
  // Both kinds leave the caller itself out, or may.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (kind() == barrier_kind::membarrier) return ::FlushProcessWriteBuffers();
  const std::lock_guard hold(one_at_a_time);
  const auto self = static_cast<pid_t>(::GetCurrentThreadId());
  for (const pid_t& place : tids) {
    const pid_t tid = __atomic_load_n(&place, __ATOMIC_RELAXED);  // it may change (barrier.hpp)
    if (tid != self) suspend_and_resume(tid);
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void set_barrier_kind_for_test(std::optional<barrier_kind> kind) {
  asymmetric_barrier& barrier = asymmetric_barrier::instance();
  barrier.kind_.store(kind ? *kind : wanted_kind(), std::memory_order_relaxed);  // see the field
}

}  // namespace heist::inline v0::platform
