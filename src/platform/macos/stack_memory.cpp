// mmap and mprotect for stacks; why as in ../stack_memory.cpp. What differs on macOS: pages are
// given back by mapping fresh ones over them, since madvise keeps what stood there, and nothing
// limits the number of mappings.
#include "platform/stack_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "platform/fault_countdown.hpp"

namespace heist::inline v0::platform {

namespace {

constinit fault_countdown stack_faults;
constexpr int flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE;

// Rounds up to pages; 0 stands for a sum that doesn't fit.
std::size_t round_to_pages(std::size_t bytes) noexcept {
  const std::size_t page = page_bytes();
  if (bytes > SIZE_MAX - page) return 0;
  return (bytes + page - 1) / page * page;
}

std::nullopt_t refuse(int why) noexcept {
  errno = why;
  return std::nullopt;
}

}  // namespace

std::size_t page_bytes() noexcept {
  static const std::size_t bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::optional<stack_memory> allocate_stack(std::size_t size, std::size_t guard) noexcept {
  size = round_to_pages(std::max(size, min_stack_bytes));
  guard = round_to_pages(std::max(guard, min_guard_bytes));
  if (size == 0 || guard == 0 || size > SIZE_MAX - guard || stack_faults.fails_now())
    return refuse(ENOMEM);
  void* const mapping = ::mmap(nullptr, size + guard, PROT_NONE, flags, -1, 0);
  if (mapping == MAP_FAILED) return std::nullopt;
  std::byte* const base = static_cast<std::byte*>(mapping) + guard;
  if (::mprotect(base, size, PROT_READ | PROT_WRITE) != 0) {
    const int why = errno;
    ::munmap(mapping, size + guard);
    return refuse(why);
  }
  return stack_memory{base, size, guard};
}

void release_stack(const stack_memory& stack) noexcept {
  const int before = errno;
  ::munmap(stack.base - stack.guard, stack.size + stack.guard);
  errno = before;
}

void trim_stack(const stack_memory& stack, std::size_t keep_bytes) noexcept {
  const std::size_t keep = round_to_pages(keep_bytes);
  if (keep >= stack.size || (keep == 0 && keep_bytes != 0)) return;
  const int before = errno;
  // Refused: the pages stay as they are.
  (void)::mmap(stack.base, stack.size - keep, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0);
  errno = before;
}

std::size_t resident_bytes(const stack_memory& stack) noexcept {
  const std::size_t page = page_bytes();
  std::array<char, 1024> present;
  std::size_t pages = 0;
  for (std::size_t done = 0; done < stack.size;) {
    const std::size_t length = std::min(stack.size - done, present.size() * page);
    if (::mincore(stack.base + done, length, present.data()) != 0) return 0;
    const auto end = present.begin() + static_cast<std::ptrdiff_t>(length / page);
    pages += static_cast<std::size_t>(
        std::count_if(present.begin(), end, [](char c) { return (c & MINCORE_INCORE) != 0; }));
    done += length;
  }
  return pages * page;
}

void set_stack_faults_for_test(long after_n) noexcept { stack_faults.arm(after_n); }

}  // namespace heist::inline v0::platform
