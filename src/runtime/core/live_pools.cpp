#include "runtime/core/live_pools.hpp"

#include "platform/process_mutex.hpp"

namespace heist::inline v0::detail {

namespace {

constinit platform::process_mutex guard;
constinit unsigned generation = 0;  // of the process whose pools are listed; guarded by the lock

}  // namespace

constinit live_pools::entry* live_pools::first_ = nullptr;

void live_pools::lock() noexcept {
  guard.lock();
  const unsigned now = platform::process_generation();
  if (generation == now) return;
  generation = now;
  first_ = nullptr;
}

void live_pools::unlock() noexcept { guard.unlock(); }

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
