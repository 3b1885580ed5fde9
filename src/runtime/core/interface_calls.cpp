// What headers of the interface call in the platform: own functions for what the C library declares
// const, huge pages for large arrays, the asymmetric barrier for deques outside any pool.
#define HEIST_KEEP_ERRNO
#include "heist/this_thread.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "heist/deque/heavy_barrier.hpp"
#include "heist/detail/huge_pages.hpp"
#include "platform/barrier.hpp"
#include "platform/thread.hpp"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace heist::inline v0 {

// The empty asm keeps the compiler from finding out that these are const, too, where it sees them
// (link-time optimisation).
[[gnu::noinline]] int* detail::errno_now() noexcept {
  asm volatile("" ::: "memory");
  return &errno;
}

[[gnu::noinline]] std::thread::id this_thread_id() noexcept {
  asm volatile("" ::: "memory");
  return std::this_thread::get_id();
}

}  // namespace heist::inline v0

namespace heist::inline v0::detail {

#if defined(MADV_HUGEPAGE)
void prefer_huge_pages(void* first, std::size_t bytes) noexcept {
  const int before = errno;
  // Only whole ones: nothing beyond these bytes is touched. A system without them refuses.
  (void)::madvise(first, bytes / huge_page * huge_page, MADV_HUGEPAGE);
  errno = before;
}
#else
void prefer_huge_pages(void*, std::size_t) noexcept {}  // the system decides
#endif

}  // namespace heist::inline v0::detail

namespace heist::inline v0::deque {

heavy_barrier_target heavy_barrier_target::this_thread() {
  platform::asymmetric_barrier::instance().admit_this_thread();
  return heavy_barrier_target(static_cast<int>(platform::thread_id()));
}

void heavy_barrier(heavy_barrier_target owner) noexcept {
  // noexcept: the one that made the target has made the instance, so this doesn't.
  platform::asymmetric_barrier::instance().heavy_barrier(std::array{pid_t{owner.tid_}});
}

void heavy_barrier(const heavy_barrier_target* owners, std::size_t count) noexcept {
  std::array<pid_t, 64> tids;
  while (count != 0) {
    const std::size_t n = std::min(count, tids.size());
    for (std::size_t i = 0; i < n; ++i) tids[i] = owners[i].tid_;
    platform::asymmetric_barrier::instance().heavy_barrier({tids.data(), n});
    owners += n;
    count -= n;
  }
}

}  // namespace heist::inline v0::deque
