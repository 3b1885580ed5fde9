// Who uses, adopts and leaves the slots of a fiber.
//
// A fiber forks in its own slots, except in two cases. A spawned child forks in its spawner's
// slots, above the spawner's entry. And a stolen spawner adopts the slots of the fiber that the
// thief's loop ran on. A is the spawner, B its child, L the fiber of the loop:
//
//            before                        after the thief has resumed A
//   victim   A's slots: [a0 a1 | A | b0]   A's slots: [-- -- | - | b0]   B runs above A's old place
//   thief    L's slots: [ ]                L's slots: [ .. .. | ]        A runs from its place on
//
// L has nothing to do any more: its stack is free, its slots are lent to A. What A pushed before
// lies where it was. All of it has been stolen (thieves take the oldest first), so only the slow
// path of a join looks for it, through `older`.
//
// If B waits before that and has no fork open, it leaves A's slots for its own, which nobody used.
// A goes on in its own then, and L is free.
//
// fiber::users counts who uses a fiber's own slots: the fiber itself until it ends, each child that
// a stolen spawner left in them until that child ends, and the one that adopted them. The last one
// frees the fiber, slots and stack together.
#pragma once

#include "heist/detail/hot_path.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

// Slots that a fiber used before its rest was stolen: what it pushed at positions from `from` to
// below fiber::from (or the next newer record's) lies there. The record lies in the slot of the
// entry that was stolen, which nobody needs any more.
struct older_slots {
  fiber* array;
  position from;
  bool adopted;  // as fiber::adopted
  older_slots* next;
};

// Places the worker's deque, which is empty, over a fiber's slots (split_control::reseat).
void place_deque(worker& w, position depth, char* slots) noexcept;

// The slot at position h, which the fast path has filled. For the owner.
inline job& slot_at(const control& c, position h) noexcept {
  // Relaxed: only the owner writes it.
  return *reinterpret_cast<job*>(c.seat.load(std::memory_order_relaxed) + h);
}

// The slot of the running fiber's entry at position h, for a join: the entry may have been pushed
// in slots that the fiber used before.
job& older_slot_to_join(worker& w, position h) noexcept;
inline job& slot_to_join(worker& w, position h) noexcept {
  return h >= w.current.get()->from ? slot_at(*w.deque, h) : older_slot_to_join(w, h);
}

// Position h is free after all: a push there was refused, so a child whose spawner's entry it was
// forks from h on, not above it.
void begin_at(worker& w, position h) noexcept;

// `adopter`, suspended at depth h, continues in the slots that `lender` uses, which are free from h
// on. `slot` is that of position h where `adopter` was. The deque is empty.
void adopt_slots(worker& w, fiber& adopter, fiber& lender, position h, job& slot) noexcept;

// One of the users of f's slots has stopped using them.
void drop_slots(worker& w, fiber& f) noexcept;

// f joins nothing any more in those of its older slots that begin at h or above.
void drop_older_slots(worker& w, fiber& f, position h) noexcept;

// The running fiber is about to wait at depth h, and its deque is empty: `newest` is the newest of
// the entries that were on it, each of which has the next older one as `next`. If the fiber is a
// child that has no fork open, it leaves its spawner's slots (spawn.cpp, P5), and if its spawner's
// entry was the newest, the same goes for the spawner, and so on. Returns the newest that is left.
[[nodiscard]] job* leave_spawners(worker& w, position h, job* newest) noexcept;

// f joins nothing at all any more, and leaves all slots that it used but its own.
void leave_slots(worker& w, fiber& f) noexcept;

}  // namespace heist::inline v0::detail
