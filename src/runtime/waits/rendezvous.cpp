#include "runtime/waits/rendezvous.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "platform/park.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"
#include "runtime/fibers/free_fibers.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/fibers/switch.hpp"
#include "runtime/fibers/waiting_party.hpp"
#include "runtime/notes.hpp"

namespace heist::inline v0::detail {

// On the stack of the thread.
struct alignas(fiber) blocked_thread {
  platform::park_word ended{0};
};

namespace {

// For a thread outside any pool: the thread sleeps. `at`: the pool at whose entry its call may be.
void block_until_settled(rendezvous& state, pool_impl* at) noexcept {
  // A shorter timer has to be set in hardware, which crowds of callers with short calls would feel.
  std::chrono::microseconds patience(4000);
  constexpr std::chrono::microseconds longest(100'000);
  blocked_thread me;
  if (!state.wait(waiting_party(me).word())) return;  // its release carries `me`
  // Acquire: partner is the store in settle_for_fiber(); carries the result.
  while (me.ended.load(std::memory_order_acquire) == 0) {
    if (at == nullptr || at->injection().urgent() == 0) {
      platform::futex_wait(me.ended, 0);
    } else if (!platform::futex_wait_for(me.ended, 0, patience)) {
      at->ask_for_entry(true);
      patience = std::min(2 * patience, longest);
    }
  }
}

}  // namespace

void wait_for_turn(rendezvous& state, pool_impl& pool) noexcept {
  const checked_wait known(state, {wait_kind::call});
  block_until_settled(state, &pool);
}

void wait_until_settled(rendezvous& state, awaited what) noexcept {
  const checked_wait known(state, what);
  worker* const w = this_worker();
  if (w == nullptr || w->alone) {
    notes::waits_alone(what);
    return block_until_settled(state, nullptr);
  }
  const position h = w->deque->depth();
  // What the fiber has forked and not joined is for others to run.
  w->pool.leave_behind(*w, leave_spawners(*w, h, w->pool.take_forks(*w)));
  suspend_until_settled(*w, take_fiber_to_wait(*w), h, state, what);
}

fiber* settle_for_fiber(rendezvous& state, rendezvous::word how) noexcept {
  // Its acquire: the waiter, and what its fiber holds.
  const rendezvous::word answered = state.settle(how);
  if (answered == rendezvous::pending) return nullptr;
  const waiting_party waiter(answered);
  if (!waiter.is_thread()) return &waiter.as_fiber();
  blocked_thread& thread = waiter.as_thread();
  // Release: partner in block_until_settled(). From here on `thread` may be gone; waking an address
  // where nobody waits does nothing.
  thread.ended.store(1, std::memory_order_release);
  platform::futex_wake(thread.ended, 1);
  return nullptr;
}

void make_ready(fiber& f) noexcept {
  const worker* const w = this_worker();
  if (w != nullptr && &w->pool == f.pool) {
    f.pool->push_ready(f, w);
  } else {
    const pool_impl::visit stay(*f.pool);
    f.pool->push_ready(f, nullptr);
  }
}

void settle(rendezvous& state, rendezvous::word how) noexcept {
  fiber* const f = settle_for_fiber(state, how);
  if (f == nullptr) return;
  worker& w = self_worker();
  if (f->pool != &w.pool || f->home.get() != nullptr)
    make_ready(*f);
  else
    resume(w, *f);
}

// ---- Waits that are no joins (heist/detail/waiting.hpp).

void wait_point::wait(awaited what) noexcept { wait_until_settled(state_, what); }

void wait_point::end() noexcept {
  if (fiber* const f = settle_for_fiber(state_, job::done)) make_ready(*f);
}

const void* current_fiber() noexcept {
  worker* const w = this_worker();
  return w == nullptr ? nullptr : w->current.get();
}

}  // namespace heist::inline v0::detail
