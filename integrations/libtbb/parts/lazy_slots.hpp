// The array of a seat's deque: large, and in memory only as far as it was used.
//
// Programs spawn hundreds of thousands of tasks before they wait, and arenas are many. So the array
// is mapped, and the kernel gives it pages, which are zero, as they are touched.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>

#include "heist/deque/atomics.hpp"

namespace heist::inline v0::libtbb {

struct lazy_slots : deque::std_atomics {
  template <class T>
  static std::atomic<T>* new_slots(std::size_t n) noexcept {
    void* const memory = ::mmap(nullptr, n * sizeof(std::atomic<T>), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    // The first push would clear two megabytes. Where the kernel has no large pages this fails.
    static_cast<void>(::madvise(memory, n * sizeof(std::atomic<T>), MADV_NOHUGEPAGE));
    return static_cast<std::atomic<T>*>(memory);
  }
  template <class T>
  static void free_slots(std::atomic<T>* slots, std::size_t n) noexcept {
    if (slots != nullptr) ::munmap(slots, n * sizeof(std::atomic<T>));
  }
};

}  // namespace heist::inline v0::libtbb
