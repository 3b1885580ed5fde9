#include "runtime/live_pools.hpp"

#include <sched.h>

#include <atomic>

#include "platform/process.hpp"

namespace heist::inline v0::detail {

namespace {

constinit std::atomic<unsigned> holder{
    0};                        // this_process() of the thread that holds the lock, or 0
constinit unsigned owner = 0;  // that of the process whose pools are listed; guarded by the lock

unsigned this_process() noexcept { return platform::process_generation() + 1; }

}  // namespace

constinit live_pools::entry* live_pools::first_ = nullptr;

void live_pools::lock() noexcept {
  const unsigned me = this_process();
  for (;;) {
    unsigned seen = holder.load(std::memory_order_relaxed);
    // Who isn't of this process is a thread of the parent's, which held it when fork() was called and will never let
    // go here. Acquire: partner is unlock().
    if (seen != me && holder.compare_exchange_weak(seen, me, std::memory_order_acquire,
                                                   std::memory_order_relaxed))
      break;
    sched_yield();
  }
  if (owner == me) return;
  owner = me;
  first_ = nullptr;
}

// Release: partner in lock().
void live_pools::unlock() noexcept { holder.store(0, std::memory_order_release); }

void live_pools::add(entry& e) noexcept {
  const holding hold;
  e.next = first_;
  first_ = &e;
}

void live_pools::remove(entry& e) noexcept {
  const holding hold;
  for (entry** at = &first_; *at != nullptr; at = &(*at)->next) {
    if (*at != &e) continue;
    *at = e.next;
    return;
  }
}

}  // namespace heist::inline v0::detail
