#include "runtime/fibers/free_fibers.hpp"

#include "heist/detail/spawn_path.hpp"
#include "platform/valgrind.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/slots.hpp"

namespace heist::inline v0::detail {

fiber* take_fiber(worker& w) noexcept {
  fiber* f = w.cached;
  if (f != nullptr) {
    w.cached = f->next.get();
    w.cached_count = w.cached_count - 1;
  } else {
    f = w.pool.stacks().get();
  }
  if (f == nullptr) {
    if (w.pool.take_from_guests()) return take_fiber(w);
    if (w.spares.get() == nullptr) return nullptr;
    recycle_spares(w);
    return take_fiber(w);
  }
  take_over(*f);
  w.pool.stack_use().add_one();
  return f;
}

fiber& take_fiber_to_wait(worker& w) noexcept {
  if (fiber* const f = take_fiber(w)) return *f;
  if (fiber* const f = w.reserve) {
    w.reserve = nullptr;
    take_over(*f);
    w.pool.stack_use().add_one();
    return *f;
  }
  w.count.blocked_joins.add();
  // Before anybody can know of the wait: the one that ends it then gives up a stack.
  w.pool.begin_starving();
  w.pool.leave_loot_behind(w);
  return w.native;
}

void recycle_fiber(worker& w, fiber& f) noexcept {
  w.pool.stack_use().remove_one();
  take_over(f);
  leave_slots(w, f);
  rewind(f);
  drop_slots(w, f);
}

void keep_free_fiber(worker& w, fiber& f) noexcept {
  w.cache_is_trimmed = false;
  if (w.pool.somebody_starves()) {
    w.pool.stacks().put(f);
  } else if (w.reserve.get() == nullptr) {
    f.next = nullptr;
    w.reserve = &f;
  } else if (w.cached_count < worker::max_cached) {
    f.next = w.cached.get();
    w.cached = &f;
    w.cached_count = w.cached_count + 1;
  } else {
    w.pool.stacks().put(f);
  }
}

void share_cached(worker& w) noexcept {
  while (fiber* const f = w.cached) {
    w.cached = f->next.get();
    w.cached_count = w.cached_count - 1;
    w.pool.stacks().put(*f);
  }
}

fiber* take_spare(worker& w) noexcept {
  fiber* const f = w.spares;
  if (f == nullptr) return nullptr;
  w.spares = f->next_spare;
  w.spare_count.store(f->older_spares, std::memory_order_relaxed);
  return f;
}

// Called inline (spawn_path.hpp): the child has returned to its spawner.
void keep_spare(fiber* child) noexcept {
  worker& w = self_worker();
  const fiber* const newest = w.spares;
  const unsigned n = newest == nullptr ? 0 : newest->older_spares + 1;
  // Valgrind takes what lies below the stack pointer for undefined after any call, but an inlined
  // spawn, which needs a spare, reads there what the call has left (image_begin). A check of locks
  // looks at every spawn, so none is inlined.
  if (n >= worker::max_spares || platform::runs_under_valgrind() || w.lock_checks != nullptr)
    return recycle_fiber(w, *child);
  child->next_spare = w.spares;
  child->older_spares = n;
  w.spares = child;
  w.spare_count.store(n + 1, std::memory_order_relaxed);
}

void recycle_spares(worker& w) noexcept {
  while (fiber* const f = take_spare(w)) recycle_fiber(w, *f);
  w.spare_count.store(0, std::memory_order_relaxed);
}

void recount_spares(worker& w) noexcept {
  unsigned n = 0;
  for (const fiber* f = w.spares; f != nullptr; f = f->next_spare) ++n;
  w.spare_count.store(n, std::memory_order_relaxed);
  for (fiber* f = w.spares; f != nullptr; f = f->next_spare) f->older_spares = --n;
}

}  // namespace heist::inline v0::detail
