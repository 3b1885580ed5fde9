#include "runtime/work/awaited_calls.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

#include "heist/detail/root.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/work/views.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr unsigned calls_between_looks = 8;
constexpr auto longest_turn = std::chrono::milliseconds(10);

// Whether something else that waits at the pool's entry has to get a turn: then until the worker
// looks for it (run_waiting). Otherwise a function that starts others for ever, and waits for each,
// would keep the worker from it for ever.
bool turn_is_over(worker& w, awaited_in where) noexcept {
  if (w.owes_turn) return true;
  if (where == awaited_in::deque && w.pool.injection().urgent() != 0) return true;
  w.awaited_calls = w.awaited_calls + 1;
  if (w.awaited_calls % calls_between_looks != 0) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - w.turn_began.get() < longest_turn) return false;
  const std::uint64_t own = where == awaited_in::queue ? 1 : 0;
  if (w.pool.injection().size() <= own) return false;
  w.turn_began = now;
  w.owes_turn = true;
  return true;
}

// What is called here has at least three quarters of a stack, as if it had begun on one. A chain of
// waits, each for a function that waits for the next, would overflow it.
bool has_room(const fiber& here) noexcept {
  if (here.stack.base == nullptr) return true;  // the thread's own stack, for want of another
  const auto size =
      reinterpret_cast<std::uintptr_t>(&here) - reinterpret_cast<std::uintptr_t>(here.stack.base);
  const auto used = reinterpret_cast<std::uintptr_t>(&here) -
                    reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return used < size / 4;
}

}  // namespace

bool may_call_awaited(worker& w, awaited_in where) noexcept {
  const fiber& here = *w.current;
  // Under a policy of its own the caller waits as that says, and what it waits for is free of it.
  const bool has_policy = here.stalls != 0 || here.is_serial;
  return !has_policy && has_room(here) && !turn_is_over(w, where);
}

bool run_one_of(root_family& family) noexcept {
  worker* const w = this_worker();
  // A measured pool gives each root a strand of its own.
  if (w == nullptr || w->alone || is_measured(*w)) return false;
  return may_call_awaited(*w, awaited_in::queue) && run_newest_queued_of(family);
}

bool run_newest_queued_of(root_family& family) noexcept {
  worker* const w = this_worker();
  root* const r = w->pool.injection().pop_newest_of(family);
  if (r == nullptr) return false;
  pool_impl& pool = w->pool;
  fiber& here = *w->current;
  w->count.roots.add();
  // It runs as on a fiber of its own: what the caller has open is none of its business.
  const int priority = std::exchange(here.priority, 0);
  const std::uint32_t region = std::exchange(here.region, r->region);
  job_frame* const frame = std::exchange(here.frame, nullptr);
  detached_drain* const drain = std::exchange(here.drain, nullptr);
  const bool runs_root = std::exchange(here.runs_root, false);
  here.calls_awaited = true;
  {
    const views_refused in_no_order;
    const exceptions_put_aside of_the_caller(*w);
    r->run(*r);  // r is gone now, and the worker may be another
  }
  here.calls_awaited = false;
  here.runs_root = runs_root;
  here.drain = drain;
  here.frame = frame;
  here.region = region;
  here.priority = priority;
  pool.note_finished();
  return true;
}

}  // namespace heist::inline v0::detail
