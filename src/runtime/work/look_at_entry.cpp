// A function that gives its turn to an urgent root (T3 in turns.hpp).
#include "runtime/core/turns.hpp"

#include <atomic>

#include "heist/detail/hot_path.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/free_fibers.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/fibers/switch.hpp"

namespace heist::inline v0::detail {

namespace {

// Under a policy of its own a function keeps its thread, or its forks are calls. A measured pool
// times what runs between forks and joins.
bool may_give_turn(const worker& w) noexcept {
  const fiber& me = *w.current;
  return me.stalls == 0 && !me.is_serial && &me != &w.native && !is_measured(w);
}

// The running fiber goes to the end of those that can continue, and the worker to the entry.
void give_turn(worker& w) noexcept {
  if (!may_give_turn(w)) return;
  fiber* const next = take_fiber(w);
  if (next == nullptr) return;
  const position h = w.deque->depth();
  // As in a wait: what the fiber has forked and not joined is for others to run.
  w.pool.leave_behind(leave_spawners(w, h, w.pool.take_forks(w)));
  w.serves_entry = true;
  leave_ready(w, *next, h, w.pool.config().join == join_kind::stalling ? &w : nullptr);
}

}  // namespace

void look_at_entry() noexcept {
  worker* const w = this_worker();
  if (w == nullptr || w->alone) return;
  // The request was seen; partner: the fence in wake_for_injection(), which comes after the push of
  // the root and before the request.
  std::atomic_thread_fence(std::memory_order_acquire);
  if (w->pool.injection().urgent() == 0) return;
  // T4: while others run, a guest would give its turn to itself.
  if (!takes_own_only(*w) || !w->pool.own_thread_runs()) give_turn(*w);
}

}  // namespace heist::inline v0::detail
