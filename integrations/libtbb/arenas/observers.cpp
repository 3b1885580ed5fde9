#include "arenas/observers.hpp"

#include <algorithm>
#include <thread>

#include "arenas/participant.hpp"

namespace heist::inline v0::libtbb {

std::uint64_t observer_list::seen(const participant& me) noexcept { return me.seen_observers; }

void observer_list::add(r1::observer_proxy& p) {
  const std::lock_guard held(lock_);
  list_.push_back(&p);
  // Relaxed: under the lock.
  p.number = newest_.load(std::memory_order_relaxed) + 1;
  newest_.store(p.number, std::memory_order_release);  // partner in enter()
}

void observer_list::remove(r1::observer_proxy& p) noexcept {
  {
    const std::lock_guard held(lock_);
    std::erase(list_, &p);
  }
  // Acquire: what its functions did.
  while (r1::observer_proxy::busy(*p.observer).load(std::memory_order_acquire) != 0)
    std::this_thread::yield();
}

void observer_list::enter_new(participant& me) {
  for (;;) {
    d1::task_scheduler_observer* next = nullptr;
    {
      const std::lock_guard held(lock_);
      const auto at = std::ranges::find_if(
          list_, [&](const r1::observer_proxy* p) { return p->number > me.seen_observers; });
      if (at == list_.end()) {
        me.seen_observers = newest_.load(std::memory_order_relaxed);  // relaxed: under the lock
        return;
      }
      me.seen_observers = (*at)->number;
      next = (*at)->observer;
      // Relaxed: the lock orders it before remove().
      r1::observer_proxy::busy(*next).fetch_add(1, std::memory_order_relaxed);
    }
    next->on_scheduler_entry(me.is_worker);
    r1::observer_proxy::busy(*next).fetch_sub(1, std::memory_order_release);  // partner in remove()
  }
}

void observer_list::leave(participant& me) noexcept {
  std::uint64_t told = 0;
  while (told < me.seen_observers) {
    d1::task_scheduler_observer* next = nullptr;
    {
      const std::lock_guard held(lock_);
      const auto at = std::ranges::find_if(
          list_, [&](const r1::observer_proxy* p) { return p->number > told; });
      if (at == list_.end() || (*at)->number > me.seen_observers) break;
      told = (*at)->number;
      next = (*at)->observer;
      // Relaxed: the lock orders it before remove().
      r1::observer_proxy::busy(*next).fetch_add(1, std::memory_order_relaxed);
    }
    next->on_scheduler_exit(me.is_worker);
    r1::observer_proxy::busy(*next).fetch_sub(1, std::memory_order_release);  // partner in remove()
  }
  me.seen_observers = 0;
}

}  // namespace heist::inline v0::libtbb
