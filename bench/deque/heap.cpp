#include "bench/deque/heap.hpp"

#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#if __GLIBC_PREREQ(2, 33)
#define HEIST_BENCH_MALLINFO2 1
#endif
#endif

namespace heist::bench {

std::optional<std::size_t> heap_bytes() {
#if defined(HEIST_BENCH_MALLINFO2)
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return std::nullopt;
#endif
}

}  // namespace heist::bench
