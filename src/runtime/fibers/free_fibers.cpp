#include "runtime/fibers/free_fibers.hpp"

#include <new>

#include "heist/detail/spawn_path.hpp"
#include "platform/valgrind.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/slots.hpp"

namespace heist::inline v0::detail {

namespace {

void note_used(worker& w) noexcept {
  if (w.counted_stacks.load(std::memory_order_relaxed) == 0) return w.pool.stack_use().add_one();
  w.counted_stacks.store(0, std::memory_order_relaxed);
}

}  // namespace

void note_free(worker& w) noexcept {
  if (w.counted_stacks.load(std::memory_order_relaxed) != 0) return w.pool.stack_use().remove_one();
  w.counted_stacks.store(1, std::memory_order_relaxed);
}

void forget_free(worker& w) noexcept {
  if (w.counted_stacks.load(std::memory_order_relaxed) == 0) return;
  w.counted_stacks.store(0, std::memory_order_relaxed);
  w.pool.stack_use().remove_one();
}

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
  note_used(w);
  return f;
}

fiber& take_fiber_to_wait(worker& w) noexcept {
  if (fiber* const f = take_fiber(w)) return *f;
  if (fiber* const f = w.reserve) {
    w.reserve = nullptr;
    take_over(*f);
    note_used(w);
    return *f;
  }
  w.count.blocked_joins.add();
  // Before anybody can know of the wait: the one that ends it then gives up a stack.
  w.pool.begin_starving();
  w.pool.leave_loot_behind(w);
  return w.native;
}

void recycle_fiber(worker& w, fiber& f) noexcept {
  note_free(w);
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

// ---- slots.hpp

namespace heist::inline v0::detail {

static_assert(sizeof(older_slots) <= job::payload_bytes);

void place_deque(worker& w, position depth, char* slots) noexcept {
  control& c = *w.deque;
  if (!w.uses_split()) {
    c.head.store(depth, std::memory_order_relaxed);  // no other thread looks at either
    c.seat.store(slots, std::memory_order_relaxed);
  } else {
    c.reseat(depth, slots);
  }
}

job& older_slot_to_join(worker& w, position h) noexcept {
  fiber& me = *w.current;
  me.from = h;
  drop_older_slots(w, me, h + 1);
  return *reinterpret_cast<job*>(me.older->array->slots + h);
}

void begin_at(worker& w, position h) noexcept {
  fiber& me = *w.current;
  if (me.from > h) me.from = h;
}

void adopt_slots(worker& w, fiber& adopter, fiber& lender, position h, job& slot) noexcept {
  // Drop older slot arrays: this fiber has returned below them.
  drop_older_slots(w, adopter, adopter.from);
  if (h > adopter.from)
    adopter.older = ::new (static_cast<void*>(slot.payload))
        older_slots{adopter.array, adopter.from, adopter.adopted, adopter.older};
  else if (adopter.adopted)
    drop_slots(w, *adopter.array);
  adopter.array = lender.array;
  adopter.from = h;
  adopter.adopted = lender.adopted || lender.array == &lender;
  lender.adopted = false;
  hand_over(adopter);
  place_deque(w, h, adopter.array->slots);
  w.current = &adopter;
}

void drop_slots(worker& w, fiber& f) noexcept {
  // Acquire: what the other users did with them. The last one is alone: nobody joins it as a user.
  if (f.users.load(std::memory_order_acquire) != 1 &&
      f.users.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  f.users.store(1, std::memory_order_relaxed);
  keep_free_fiber(w, f);
}

void drop_older_slots(worker& w, fiber& f, position h) noexcept {
  while (f.older != nullptr && f.older->from >= h) {
    const older_slots dropped = *f.older;
    f.older = dropped.next;
    if (dropped.adopted) drop_slots(w, *dropped.array);
  }
}

void leave_slots(worker& w, fiber& f) noexcept {
  drop_older_slots(w, f, 0);
  if (f.adopted) drop_slots(w, *f.array);
  f.array = &f;
  f.from = 0;
  f.adopted = false;
}

}  // namespace heist::inline v0::detail
