#include "runtime/rendezvous.hpp"

#include "heist/detail/job.hpp"
#include "platform/park.hpp"
#include "runtime/free_fibers.hpp"
#include "runtime/pool_impl.hpp"
#include "runtime/switch.hpp"
#include "runtime/worker.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr std::uintptr_t blocked_tag = 4;
static_assert(alignof(fiber) >= 8);

struct alignas(8) blocked_waiter {
  platform::park_word ended{0};
};

// For a thread outside any pool: the thread sleeps.
void block_until_settled(std::atomic<std::uintptr_t>& state) noexcept {
  blocked_waiter me;
  std::uintptr_t before = job::pending;
  // Release: the waiter's address carries `me`; partner: the exchange in settle(). Acquire on
  // failure: the result.
  if (!state.compare_exchange_strong(before, reinterpret_cast<std::uintptr_t>(&me) | blocked_tag,
                                     std::memory_order_acq_rel, std::memory_order_acquire))
    return;
  // Acquire: partner is the store in settle(); carries the result.
  while (me.ended.load(std::memory_order_acquire) == 0) platform::futex_wait(me.ended, 0);
}

}  // namespace

void wait_until_settled(std::atomic<std::uintptr_t>& state) noexcept {
  worker* const w = this_worker();
  if (w == nullptr || w->alone) return block_until_settled(state);
  const position h = w->deque->depth();
  w->pool.leave_forks_behind(*w);  // the forks that the fiber has open are for others to run
  suspend_until_settled(*w, take_fiber_to_wait(*w), h, state);
}

fiber* settle_for_fiber(std::atomic<std::uintptr_t>& state, std::uintptr_t value) noexcept {
  // Release: the result; partners: the waiter's exchange, or its load when it wakes. Acquire: the
  // waiter, and what its fiber holds.
  const std::uintptr_t waiter = state.exchange(value, std::memory_order_acq_rel);
  if (waiter == job::pending) return nullptr;
  if ((waiter & blocked_tag) == 0) return reinterpret_cast<fiber*>(waiter);
  auto* const thread = reinterpret_cast<blocked_waiter*>(waiter & ~blocked_tag);
  // Release: partner in block_until_settled. From here on *thread may be gone; waking an address
  // where nobody waits does nothing.
  thread->ended.store(1, std::memory_order_release);
  platform::futex_wake(thread->ended, 1);
  return nullptr;
}

void make_ready(fiber& f) noexcept {
  const worker* const w = this_worker();
  if (w != nullptr && &w->pool == f.pool) {
    f.pool->go_on(f);
  } else {
    const pool_impl::visit stay(*f.pool);
    f.pool->go_on(f);
  }
}

void settle(std::atomic<std::uintptr_t>& state, std::uintptr_t value) noexcept {
  fiber* const f = settle_for_fiber(state, value);
  if (f == nullptr) return;
  worker& w = self_worker();
  if (f->pool != &w.pool || f->home.get() != nullptr)
    make_ready(*f);
  else
    resume(w, *f);
}

}  // namespace heist::inline v0::detail
