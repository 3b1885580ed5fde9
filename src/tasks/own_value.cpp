#include "heist/detail/own_value.hpp"

#include <atomic>
#include <string>

#include "heist/error.hpp"
#include "heist/worker_local.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

#if HEIST_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace heist::inline v0 {

namespace detail {

namespace {

// For ThreadSanitizer the fibers of a thread are threads of their own; partner is before_switch()
// in switch.cpp.
void see_what_ran_here([[maybe_unused]] const worker* w) noexcept {
#if HEIST_TSAN
  if (w != nullptr) __tsan_acquire(const_cast<worker*>(w));
#endif
}

constinit std::atomic<std::uint64_t> last_number{0};
// Like local<>: all fibers of the thread read and write it.
constinit thread_local std::atomic<std::uint64_t> number{0};

}  // namespace

[[gnu::noinline]] std::uint64_t thread_number() noexcept {
  see_what_ran_here(this_worker());
  // Relaxed: only this thread uses it; the counter carries nothing.
  std::uint64_t mine = number.load(std::memory_order_relaxed);
  if (mine == 0) {
    mine = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
    number.store(mine, std::memory_order_relaxed);
  }
  return mine;
}

void throw_not_a_worker(const pool& p) {
  throw usage_error("worker_local: the caller is no worker of the pool \"" + p.config().name +
                    "\"");
}

}  // namespace detail

int pool::worker_index() const noexcept {
  if (detail::serial_elision()) return 0;
  const detail::worker* const w = detail::this_worker();
  if (w == nullptr || &w->pool != impl_.get()) return -1;
  detail::see_what_ran_here(w);
  return static_cast<int>(w->index);
}

}  // namespace heist::inline v0
