// The message for a full stack on Windows: a vectored exception handler.
//
// Windows calls it on the stack that is full, in the guard pages that it has just opened
// (stack_memory.cpp); how many of them it opens is a setting of the thread. The handler passes the
// exception on in every case, so handlers of the program and the system's report come after our
// line. STATUS_STACK_OVERFLOW is the usual code; a frame that jumped over the guard pages without
// the compiler's probes is an access violation in the guard.
#include "platform/overflow.hpp"

#include <windows.h>

#include <cstdint>
#include <utility>

#include "platform/once.hpp"
#include "platform/overflow_message.hpp"

namespace heist::inline v0::platform {

namespace {

constexpr ULONG handler_bytes = 32 * 1024;  // of a full stack, for handlers

// The number of the worker that a thread is, + 1. A slot of the system's and no thread_local: the
// first access to one of those may allocate.
constinit DWORD worker_slot = TLS_OUT_OF_INDEXES;

int worker_of_this_thread() noexcept {
  if (worker_slot == TLS_OUT_OF_INDEXES) return -1;
  return static_cast<int>(reinterpret_cast<std::intptr_t>(::TlsGetValue(worker_slot))) - 1;
}
void set_worker_of_this_thread(int worker) noexcept {
  if (worker_slot != TLS_OUT_OF_INDEXES)
    ::TlsSetValue(worker_slot, reinterpret_cast<void*>(std::intptr_t{worker} + 1));
}

LONG CALLBACK on_exception(EXCEPTION_POINTERS* what) {
  const EXCEPTION_RECORD& e = *what->ExceptionRecord;
  if (e.ExceptionCode != EXCEPTION_STACK_OVERFLOW && e.ExceptionCode != EXCEPTION_ACCESS_VIOLATION)
    return EXCEPTION_CONTINUE_SEARCH;
  if (e.NumberParameters < 2) return EXCEPTION_CONTINUE_SEARCH;
  const DWORD before = ::GetLastError();
  if (const std::size_t stack_bytes =
          stack_with_guard_at(reinterpret_cast<const void*>(e.ExceptionInformation[1]))) {
    const overflow_message line(stack_bytes, worker_of_this_thread());
    DWORD written = 0;
    ::WriteFile(::GetStdHandle(STD_ERROR_HANDLE), line.text().data(),
                static_cast<DWORD>(line.text().size()), &written, nullptr);
  }
  ::SetLastError(before);
  return EXCEPTION_CONTINUE_SEARCH;
}

}  // namespace

void install_overflow_handler() noexcept {
  static constinit once_flag installed;
  installed.call([] {
    worker_slot = ::TlsAlloc();
    ::AddVectoredExceptionHandler(0, &on_exception);
  });
}

alternate_stack::alternate_stack(int worker) noexcept : outer_worker_(worker_of_this_thread()) {
  set_worker_of_this_thread(worker);
  ULONG bytes = handler_bytes;
  ::SetThreadStackGuarantee(&bytes);
}

alternate_stack::~alternate_stack() { set_worker_of_this_thread(outer_worker_); }

void keep_alternate_stack() noexcept {
  ULONG bytes = handler_bytes;
  ::SetThreadStackGuarantee(&bytes);
}

}  // namespace heist::inline v0::platform
