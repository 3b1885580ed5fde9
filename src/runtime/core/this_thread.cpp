// Own functions for what the C library declares const. The empty asm keeps the compiler from
// finding out that they are, too, where it sees them (link-time optimisation).
#define HEIST_KEEP_ERRNO
#include "heist/this_thread.hpp"

namespace heist::inline v0 {

[[gnu::noinline]] int* detail::errno_now() noexcept {
  asm volatile("" ::: "memory");
  return &errno;
}

[[gnu::noinline]] std::thread::id this_thread_id() noexcept {
  asm volatile("" ::: "memory");
  return std::this_thread::get_id();
}

}  // namespace heist::inline v0
