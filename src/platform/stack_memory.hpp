// Memory for fibers' stacks: a reserved range with an inaccessible guard at its low end.
//
//   mapping + 0      guard, PROT_NONE     a stack that grows into it faults instead of writing on
//                                         its neighbour
//   base             lowest usable byte
//   base + size      top(): stacks grow down from here
//
// Only pages that were touched cost memory; 8 MiB reserved and 8 KiB touched is 8 KiB. The guard is
// 64 KiB or more, and 1 MiB below a fiber's stack, since a frame with a large local array jumps
// over a smaller one (compilers probe only with -fstack-clash-protection); it costs addresses
// alone. Each stack is two mappings of the 65,530 that Linux allows to a process by default
// (vm.max_map_count). Stacks take nine tenths of them, about 29,000 stacks: without a mapping left,
// malloc and new threads would fail everywhere in the program. Running into the limit is ordinary:
// nothing here throws, the caller decides what to do without a stack.
//
// All functions are thread-safe for different stacks.
#pragma once

#include <cstddef>
#include <optional>

namespace heist::inline v0::platform {

inline constexpr std::size_t min_guard_bytes = 64 * 1024;
inline constexpr std::size_t min_stack_bytes = 16 * 1024;

struct stack_memory {
  std::byte* base;      // lowest usable byte
  std::size_t size;     // usable bytes above base
  std::size_t guard;    // inaccessible bytes below base
  unsigned number = 0;  // valgrind's

  [[nodiscard]] std::byte* top() const noexcept { return base + size; }
};

// Maps a stack of at least `size` usable bytes over at least `guard` inaccessible ones; both are
// raised to the minima above and rounded up to pages. nullopt, with errno set, when the system
// refuses: ENOMEM (address space, RLIMIT_AS, mappings, commit limit), or when stacks have their
// part of the mappings, or for sums that don't fit (ENOMEM too). Cost: four system calls, some
// microseconds; pool the result.
[[nodiscard]] std::optional<stack_memory> allocate_stack(std::size_t size,
                                                         std::size_t guard) noexcept;

// Unmaps it. Nobody may be running on it or hold a pointer into it.
void release_stack(const stack_memory& stack) noexcept;

// Gives the pages below the top `keep_bytes` (rounded up to pages) back to the system; what stood
// there reads as zero. The stack must be idle: nothing live below the kept part.
void trim_stack(const stack_memory& stack, std::size_t keep_bytes) noexcept;

// How much of the stack is in memory now, in bytes. For tests and reports: one system call per 4
// MiB.
[[nodiscard]] std::size_t resident_bytes(const stack_memory& stack) noexcept;

// The system's page size in bytes.
[[nodiscard]] std::size_t page_bytes() noexcept;

// Fault injection: the next `after_n` allocations work, and all later ones fail with ENOMEM; a
// negative number switches it off (the default). Process-wide.
void set_stack_faults_for_test(long after_n) noexcept;

}  // namespace heist::inline v0::platform
