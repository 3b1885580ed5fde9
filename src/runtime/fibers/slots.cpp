#include "runtime/fibers/slots.hpp"

#include <new>

#include "runtime/fibers/free_fibers.hpp"

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
