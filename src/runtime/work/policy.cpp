// Policies for one call, and functions that are run by a certain worker.
#include "heist/policy.hpp"

#include <string>

#include "heist/error.hpp"
#include "heist/pool.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/free_fibers.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/fibers/switch.hpp"

namespace heist::inline v0::detail {

namespace {

// The deque lies at the end of its slots: every push finds it full, so every fork is a call,
// and thieves see none of it (split_control clamps what they see to the capacity).
void run_serially(worker& w, root& r) noexcept {
  fiber& me = *w.current;
  if (me.is_serial) return r.run(r);
  const position h = w.deque->depth();
  w.pool.leave_behind(w, w.pool.take_forks(w));  // reseating needs an empty deque
  place_deque(w, w.deque->capacity, me.array->slots);
  me.is_serial = true;
  r.run(r);
  me.is_serial = false;
  place_deque(self_worker(), h,
              me.array->slots);  // r may have waited, and the worker be another now
}

// True: the caller continues on that worker's thread. False: there is no stack on which this worker
// could continue.
bool move_to(worker& target) noexcept {
  worker& w = self_worker();
  if (&w == &target) return true;
  fiber* const next = take_fiber(w);
  if (next == nullptr) return false;
  const position h = w.deque->depth();
  w.pool.leave_behind(w, w.pool.take_forks(w));
  leave_ready(w, *next, h, &target);
  return true;
}

}  // namespace

void run_with(policy p, root& r) {
  worker* const w = this_worker();
  if (serial_elision() || (w != nullptr && w->alone) || (w == nullptr && p == policy::stalling))
    return r.run(r);
  if (w == nullptr) return run_in(nullptr, [&] { run_with(p, r); });
  if (p == policy::serial) return run_serially(*w, r);
  // If this fiber stalled on the guest's thread, the guest could not leave; and the fiber may be
  // waiting for the very thread whose seat the guest has. So the function stalls on that thread.
  // Without a stack it stays.
  if (w->is_guest) static_cast<void>(move_to(w->pool.resident(w->index % w->pool.size())));
  fiber& me = *self_worker().current;
  const std::uintptr_t before = me.stalls;
  me.stalls = 1;
  r.run(r);
  me.stalls = before;
}

void run_with_priority(int priority, root& r) {
  worker* const w = this_worker();
  if (w == nullptr) return r.run(r);
  fiber& me = *w->current;
  const int before = me.priority;
  me.priority = priority;
  r.run(r);
  me.priority = before;
}

void run_on_worker(pool_impl& pool, unsigned index, root& r) {
  if (serial_elision()) return r.run(r);
  if (index >= pool.size())
    throw usage_error("pool::run_on: there is no worker " + std::to_string(index) + " of " +
                      std::to_string(pool.size()));
  run_in(&pool, [&] {
    if (!self_worker().alone && !move_to(pool.resident(index)))
      throw resource_error("pool::run_on: no memory for a stack");
    r.run(r);
  });
}

}  // namespace heist::inline v0::detail
