// Facts about the processor that spinning, padding and fetching ahead need.
#pragma once

#include <cstddef>

namespace heist::inline v0::platform {

// Words written by different threads are kept this far apart. 128 and not 64: Intel's and AMD's
// prefetchers fetch lines in pairs, and some AArch64 processors have lines of 128 bytes. A constant
// rather than std::hardware_destructive_interference_size, which changes with compiler flags and
// would make the layout part of them.
inline constexpr std::size_t cache_line_bytes = 128;

// One turn of a spinning wait: tells the processor, so that it neither floods the memory system
// with loads nor takes the execution units from the other hardware thread of the core. 10 to 140
// cycles on x86, about 1 on most AArch64: don't count time in it.
inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  // isb rather than yield: yield is a no-op on the cores that we would like to slow down.
  asm volatile("isb" ::: "memory");
#endif
}

// Fetches the cache line of that address, which this thread will write soon. It may be any address.
inline void fetch_to_write(const void* p) noexcept {
#if defined(__x86_64__)
  // The builtin gives this only with -mprfchw; otherwise the write would fetch the line once more.
  // Every x86-64 processor knows the instruction, some as one that does nothing.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(p)));
#else
  __builtin_prefetch(p, 1);
#endif
}

}  // namespace heist::inline v0::platform
