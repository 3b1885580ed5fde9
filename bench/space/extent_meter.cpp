#include "bench/space/extent_meter.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include <heist/error.hpp>
#include <heist/fork_join.hpp>
#include <heist/pool.hpp>

#include "runtime/core/worker.hpp"

namespace heist::bench {

namespace {

// All operations in this file are relaxed: a mark orders nothing, and the figures are read after
// the program has ended.
void raise(std::atomic<std::int64_t>& most, std::int64_t to) noexcept {
  auto seen = most.load(std::memory_order_relaxed);
  while (seen < to && !most.compare_exchange_weak(seen, to, std::memory_order_relaxed,
                                                  std::memory_order_relaxed)) {
  }
}

detail::fiber* running_fiber() noexcept {
  detail::worker* const w = detail::this_worker();
  return w == nullptr ? nullptr : w->current.get();
}

// A fiber's stack begins just below the fiber object.
std::int64_t extent_to(const detail::fiber& f, const void* address) noexcept {
  return reinterpret_cast<const char*>(&f) - static_cast<const char*>(address);
}

// Where another worker's fiber was suspended. The fiber remains suspended while this function reads
// its position, but ThreadSanitizer cannot know this.
__attribute__((noinline, no_sanitize("thread"))) const void* suspended_at(
    const detail::fiber& f) noexcept {
  return f.sp;
}

[[gnu::noinline]] const void* here() noexcept { return __builtin_frame_address(0); }

}  // namespace

void extent_meter::mark() noexcept {
  detail::fiber* const f = running_fiber();
  if (f == nullptr) return;
  cell* const mine = find(f);
  if (mine == nullptr) {
    overflowed_.store(true, std::memory_order_relaxed);
    return;
  }
  const auto extent = std::max<std::int64_t>(extent_to(*f, __builtin_frame_address(0)) - below_, 0);
  const auto before = mine->extent.exchange(extent, std::memory_order_relaxed);
  const auto total = total_.fetch_add(extent - before, std::memory_order_relaxed) + extent - before;
  raise(peak_, total);
  raise(largest_, extent);
}

extent_meter::cell* extent_meter::find(const void* fiber) noexcept {
  const auto start = std::hash<const void*>{}(fiber) / 4096 % cells;  // fibers are pages apart
  for (std::size_t i = 0; i < cells; ++i) {
    cell& each = cells_[(start + i) % cells];
    const void* owner = each.fiber.load(std::memory_order_relaxed);
    if (owner == fiber) return &each;
    if (owner == nullptr &&
        (each.fiber.compare_exchange_strong(owner, fiber, std::memory_order_relaxed,
                                            std::memory_order_relaxed) ||
         owner == fiber))
      return &each;
  }
  return nullptr;
}

std::size_t bytes_of_loop() {
  pool on({.workers = 2});
  if (on.missing_workers() != 0) throw resource_error("space: the system refused a thread");
  return on.run([] {
    // The upper end of the frame that calls this. The lambda is inlined, so that frame is the one
    // of the function that the loop calls.
    const auto above = [] { return extent_to(*running_fiber(), __builtin_frame_address(0)); };
    const auto of_root = above();
    std::atomic<bool> is_stolen{false};
    const auto [unused, of_stolen] = fork_join(
        [&] {
          while (!is_stolen.load(std::memory_order_relaxed)) {
          }
        },
        [&] {
          is_stolen.store(true, std::memory_order_relaxed);
          return above();
        });
    return static_cast<std::size_t>(std::min(of_root, of_stolen));
  });
}

std::size_t bytes_of_suspended_join() {
  pool on({.workers = 2});
  if (on.missing_workers() != 0) throw resource_error("space: the system refused a thread");
  const auto suspends = [&on] { return on.stats().total.suspends; };
  return on.run([&] {
    std::atomic<bool> is_stolen{false};
    std::atomic<const void*> forked_at{nullptr};
    const detail::fiber* const forker = running_fiber();
    const auto before = suspends();
    auto [unused, bytes] = fork_join(
        [&] {
          // All are relaxed, because only these values pass from one function to the other.
          while (!is_stolen.load(std::memory_order_relaxed)) {
          }
          forked_at.store(here(), std::memory_order_relaxed);
        },
        [&]() -> std::size_t {
          is_stolen.store(true, std::memory_order_relaxed);
          while (suspends() == before || forked_at.load(std::memory_order_relaxed) == nullptr) {
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the switch itself
          const auto* const top =
              static_cast<const char*>(forked_at.load(std::memory_order_relaxed));
          return static_cast<std::size_t>(top - static_cast<const char*>(suspended_at(*forker)));
        });
    return bytes;
  });
}

}  // namespace heist::bench
