// VirtualAlloc for stacks; the choices among its flags are the content.
//
//   base - guard    reserved, nothing there
//   base - 32 KiB   PAGE_GUARD: the first touch ends the program with STATUS_STACK_OVERFLOW, and
//                   the handler (overflow.cpp) runs in these pages, since Windows calls it on the
//                   full stack. The lowest reserved address that a context names for Windows is one
//                   page below (context.hpp): nearer than Windows lets a stack grow.
//   base            committed: stack
//
// - The stack is committed as a whole. Its pages take memory only when they are touched, but all of
//   them count towards the system's commit limit (memory and page file). Windows' own stacks commit
//   page by page, for which a context would have to know how far its stack has grown: compilers'
//   stack probes stop at the StackLimit in the thread's environment block.
// - Pages are given back by MEM_RESET, which never fails for want of memory, as decommitting and
//   committing anew might. What stood there reads as zero or as it was, and Windows takes the pages
//   when it needs them.
#include "platform/stack_memory.hpp"

#include <windows.h>
// After windows.h.
#include <psapi.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "platform/context.hpp"
#include "platform/fault_countdown.hpp"

namespace heist::inline v0::platform {

namespace {

constexpr std::size_t guard_page_bytes = 32 * 1024;
static_assert(guard_page_bytes < overflow_reserve_bytes &&
              overflow_reserve_bytes < min_guard_bytes);

constinit fault_countdown stack_faults;

// Rounds up to pages; 0 stands for a sum that doesn't fit.
std::size_t round_to_pages(std::size_t bytes) noexcept {
  const std::size_t page = page_bytes();
  if (bytes > SIZE_MAX - page) return 0;
  return (bytes + page - 1) / page * page;
}

std::nullopt_t refuse() noexcept {
  errno = ENOMEM;
  return std::nullopt;
}

}  // namespace

std::size_t page_bytes() noexcept {
  static const std::size_t bytes = [] {
    SYSTEM_INFO about{};
    ::GetSystemInfo(&about);
    return std::size_t{about.dwPageSize};
  }();
  return bytes;
}

std::optional<stack_memory> allocate_stack(std::size_t size, std::size_t guard) noexcept {
  size = round_to_pages(std::max(size, min_stack_bytes));
  guard = round_to_pages(std::max(guard, min_guard_bytes));
  if (size == 0 || guard == 0 || size > SIZE_MAX - guard || stack_faults.fails_now())
    return refuse();
  auto* const lowest =
      static_cast<std::byte*>(::VirtualAlloc(nullptr, size + guard, MEM_RESERVE, PAGE_NOACCESS));
  if (lowest == nullptr) return refuse();
  std::byte* const base = lowest + guard;
  if (::VirtualAlloc(base, size, MEM_COMMIT, PAGE_READWRITE) == nullptr ||
      ::VirtualAlloc(base - guard_page_bytes, guard_page_bytes, MEM_COMMIT,
                     PAGE_READWRITE | PAGE_GUARD) == nullptr) {
    ::VirtualFree(lowest, 0, MEM_RELEASE);
    return refuse();
  }
  return stack_memory{base, size, guard};
}

void release_stack(const stack_memory& stack) noexcept {
  ::VirtualFree(stack.base - stack.guard, 0, MEM_RELEASE);
}

void trim_stack(const stack_memory& stack, std::size_t keep_bytes) noexcept {
  const std::size_t keep = round_to_pages(keep_bytes);
  if (keep >= stack.size || (keep == 0 && keep_bytes != 0)) return;
  ::VirtualAlloc(stack.base, stack.size - keep, MEM_RESET, PAGE_READWRITE);
}

std::size_t resident_bytes(const stack_memory& stack) noexcept {
  const std::size_t page = page_bytes();
  std::array<PSAPI_WORKING_SET_EX_INFORMATION, 256> asked;
  std::size_t pages = 0;
  for (std::size_t done = 0; done < stack.size;) {
    const std::size_t count = std::min((stack.size - done) / page, asked.size());
    for (std::size_t i = 0; i < count; ++i) asked[i].VirtualAddress = stack.base + done + i * page;
    if (::QueryWorkingSetEx(::GetCurrentProcess(), asked.data(),
                            static_cast<DWORD>(count * sizeof(asked[0]))) == 0)
      return 0;
    pages += static_cast<std::size_t>(std::count_if(
        asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(count),
        [](const PSAPI_WORKING_SET_EX_INFORMATION& i) { return i.VirtualAttributes.Valid != 0; }));
    done += count * page;
  }
  return pages * page;
}

void set_stack_faults_for_test(long after_n) noexcept { stack_faults.arm(after_n); }

}  // namespace heist::inline v0::platform
