// mmap, mprotect and madvise for stacks; the choices among their flags are the content.
//
// - One reservation with PROT_NONE, then mprotect of the usable part: the guard is part of the same
//   range, so nothing else can ever be mapped between the two.
// - MAP_NORESERVE: a stack uses a small part of what it reserves; strict accounting would refuse
//   thousands of them. (Under vm.overcommit_memory=2 the kernel ignores the flag, and allocation
//   fails earlier: that is what the mode is for.)
// - MAP_STACK, and not MAP_GROWSDOWN: growing mappings have a guard gap of their own that other
//   mappings can move into.
// - MADV_NOHUGEPAGE: with transparent huge pages set to "always", the first touch of an aligned
//   8 MiB stack would take 2 MiB of memory for one frame. (Kernels from 6.7 on take MAP_STACK as
//   the same wish; the older ones need to be told.)
// - Trimming by MADV_DONTNEED rather than MADV_FREE: the latter leaves the pages in the process's
//   resident size until memory is short, so neither a user nor a cgroup limit would see what an
//   idle pool gave back. Trimming is rare and off the fast path; the price is a page fault if the
//   stack is used as deeply again.
// - No MADV_DONTDUMP for what is untouched, although a core of a thousand stacks has an apparent
//   size of 10 GB: a core file is sparse, and a third mapping would cost a third of all stacks.
// - In a process that locks what it maps (mlockall(MCL_FUTURE)), mprotect() would fill the whole
//   stack, and MADV_DONTNEED would be refused. There stacks are locked page by page, as they are
//   touched (MLOCK_ONFAULT), and trimmed by MADV_DONTNEED_LOCKED (Linux 5.18).
#include "stack_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>

#include "fault_countdown.hpp"
#include "valgrind.hpp"

namespace heist::inline v0::platform {

namespace {

constinit fault_countdown stack_faults;

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

// How many stacks may be mapped at a time, two mappings each: nine tenths of what the process may
// have. SIZE_MAX where the system doesn't tell.
std::size_t read_most_stacks() noexcept {
  const int file = ::open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);
  if (file < 0) return SIZE_MAX;
  std::array<char, 24> text;
  const ssize_t length = ::read(file, text.data(), text.size());
  ::close(file);
  std::size_t mappings = 0;
  if (length <= 0 || std::from_chars(text.data(), text.data() + length, mappings).ec != std::errc())
    return SIZE_MAX;
  return mappings / 10 * 9 / 2;
}

std::size_t most_stacks() noexcept {
  // Relaxed: every thread that gets here finds the same number.
  static constinit std::atomic<std::size_t> known{0};
  std::size_t most = known.load(std::memory_order_relaxed);
  if (most == 0) {
    const int before = errno;
    most = read_most_stacks();
    errno = before;
    known.store(most, std::memory_order_relaxed);
  }
  return most;
}

// The stacks of all pools. Relaxed: only the number matters.
constinit std::atomic<std::size_t> mapped_stacks{0};

bool count_one_more() noexcept {
  if (mapped_stacks.fetch_add(1, std::memory_order_relaxed) < most_stacks()) return true;
  mapped_stacks.fetch_sub(1, std::memory_order_relaxed);
  return false;
}
// Whether new mappings are locked, as `mapping`, a new one, is.
bool is_locked(void* mapping) noexcept {
  return ::madvise(mapping, page_bytes(), MADV_DONTNEED) != 0 && errno == EINVAL;
}

void count_one_less() noexcept { mapped_stacks.fetch_sub(1, std::memory_order_relaxed); }

}  // namespace

std::size_t page_bytes() noexcept {
  static const std::size_t bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::optional<stack_memory> allocate_stack(std::size_t size, std::size_t guard) noexcept {
  size = round_to_pages(std::max(size, min_stack_bytes));
  guard = round_to_pages(std::max(guard, min_guard_bytes));
  if (size == 0 || guard == 0 || size > SIZE_MAX - guard) return refuse(ENOMEM);
  if (stack_faults.fails_now() || !count_one_more()) return refuse(ENOMEM);

  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  void* const mapping = ::mmap(nullptr, size + guard, PROT_NONE, flags, -1, 0);
  if (mapping == MAP_FAILED) {
    count_one_less();
    return std::nullopt;
  }

  std::byte* const base = static_cast<std::byte*>(mapping) + guard;
  const int before = errno;
  ::madvise(mapping, size + guard,
            MADV_NOHUGEPAGE);  // EINVAL from a kernel without huge pages: nothing to switch off
  // Refused, it costs what it would without: memory.
  if (is_locked(mapping)) static_cast<void>(::mlock2(mapping, size + guard, MLOCK_ONFAULT));
  errno = before;
  if (::mprotect(base, size, PROT_READ | PROT_WRITE) != 0) {
    const int why = errno;
    ::munmap(mapping, size + guard);
    count_one_less();
    return refuse(why);
  }
  return stack_memory{base, size, guard, tell_valgrind_of_stack(base, base + size)};
}

void release_stack(const stack_memory& stack) noexcept {
  const int before = errno;
  tell_valgrind_of_its_end(stack.number);
  ::munmap(stack.base - stack.guard,
           stack.size + stack.guard);  // whole mappings: nothing to split, so nothing to refuse
  count_one_less();
  errno = before;
}

void trim_stack(const stack_memory& stack, std::size_t keep_bytes) noexcept {
  const std::size_t keep = round_to_pages(keep_bytes);
  if (keep >= stack.size || (keep == 0 && keep_bytes != 0)) return;
  const int before = errno;
  constexpr int dontneed_locked = 24;  // MADV_DONTNEED_LOCKED, which older headers lack
  if (::madvise(stack.base, stack.size - keep, MADV_DONTNEED) != 0)
    ::madvise(stack.base, stack.size - keep, dontneed_locked);
  errno = before;
}

std::size_t resident_bytes(const stack_memory& stack) noexcept {
  const std::size_t page = page_bytes();
  std::array<unsigned char, 1024> present;
  std::size_t pages = 0;
  for (std::size_t done = 0; done < stack.size;) {
    const std::size_t length = std::min(stack.size - done, present.size() * page);
    if (::mincore(stack.base + done, length, present.data()) != 0) return 0;
    const auto end = present.begin() + static_cast<std::ptrdiff_t>(length / page);
    pages += static_cast<std::size_t>(
        std::count_if(present.begin(), end, [](unsigned char c) { return (c & 1) != 0; }));
    done += length;
  }
  return pages * page;
}

void set_stack_faults_for_test(long after_n) noexcept { stack_faults.arm(after_n); }

}  // namespace heist::inline v0::platform
