// The roots that are given to a certain place (a NUMA node), for the workers of that place. Others
// take them only when they have found nothing else anywhere, so what is placed never waits for its
// place while anybody is idle for long.
//
// What waits here is a part of a root that has begun (run_at() waits for it), so it goes before new
// roots, as a fiber does that can continue; every other turn it doesn't (loop.cpp).
//
// Who writes what. lists_: any thread, under the lock of its place. count_: the same threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "heist/detail/root.hpp"
#include "platform/cpu.hpp"
#include "runtime/core/entry_lane.hpp"

namespace heist::inline v0::detail {

class place_queues {
 public:
  explicit place_queues(unsigned places)
      : places_(places), lists_(std::make_unique<list[]>(places)) {}

  [[nodiscard]] unsigned places() const noexcept { return places_; }

  // Relaxed count: as injection_queue::empty(), the caller fences before it looks for sleepers.
  void push(root& r, unsigned place) noexcept {
    list& l = lists_[place];
    {
      const std::lock_guard hold(l.lock);
      l.roots.push(&r);
      l.count.store(l.count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  }

  // The oldest of that place, or nullptr.
  root* pop(unsigned place) noexcept {
    list& l = lists_[place];
    if (l.count.load(std::memory_order_relaxed) == 0) return nullptr;
    const std::lock_guard hold(l.lock);
    root* const r = l.roots.pop();
    if (r != nullptr)
      l.count.store(l.count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    return r;
  }
  // The same of any other place, the next ones first.
  root* pop_elsewhere(unsigned place) noexcept {
    for (unsigned k = 1; k < places_; ++k)
      if (root* const r = pop((place + k) % places_)) return r;
    return nullptr;
  }

  // Relaxed: a hint. A thread that is about to sleep looks after its seq_cst fence.
  [[nodiscard]] bool empty() const noexcept {
    for (unsigned k = 0; k < places_; ++k)
      if (lists_[k].count.load(std::memory_order_relaxed) != 0) return false;
    return true;
  }

 private:
  struct alignas(platform::cache_line_bytes) list {
    short_lock lock;
    std::atomic<std::uint64_t> count{0};
    intrusive_list<root> roots;  // guarded by lock
  };

  const unsigned places_;
  const std::unique_ptr<list[]> lists_;
};

}  // namespace heist::inline v0::detail
