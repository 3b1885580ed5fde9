// A child that waits leaves its spawner's slots for its own, and frees its spawner (P5 in
// spawn.cpp).
#include "heist/scope.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/work/scope_parts.hpp"

namespace heist::inline v0::detail {

namespace {

// The spawner's entry, if that fiber, which forks at depth h next, is a child that uses its
// spawner's slots and has no fork open; else nullptr.
job* spawners_entry(const fiber& child, position h, position capacity) noexcept {
  const spawned& t = child.task;
  // In its spawner's slots its own entries lie above the spawner's, which lies at `from`.
  if (t.scope == nullptr || t.array == nullptr || child.array != t.array ||
      h != child.from + static_cast<position>(sizeof(job)) || child.from >= capacity)
    return nullptr;
  job& slot = slot_of(t, child.from);
  return slot.run == nullptr ? nullptr : &slot;  // D1: refused, so the spawner waits for the child
}

void use_own_slots(fiber& child) noexcept {
  child.task.array = nullptr;
  child.array = &child;
  child.from += static_cast<position>(sizeof(job));
}

// The entry was stolen, or is left to others.
void leave_to_thief(worker& w, const spawned& t, job& entry) noexcept {
  t.scope->count_child();
  if (entry.state.leave_mark(entry_mark::left) != entry_mark::counted) return;
  entry.state.reset();
  t.scope->remove_child();  // counted twice
  drop_slots(w, *t.array);
}

// The entry was on the deque: its spawner has waited for nothing but the deque's owner.
fiber& free_spawner(const worker& w, fiber& child) noexcept {
  fiber& spawner = *child.task.spawner;
  take_over(spawner);
  child.task.scope->spawner_stolen(&spawner);
  spawner.depth = child.from;
  spawner.home = nullptr;
  // Relaxed: as worker::serves says.
  spawner.serves = w.serves.load(std::memory_order_relaxed);
  spawner.next = nullptr;
  return spawner;
}

}  // namespace

job* leave_spawners(worker& w, position h, job* newest) noexcept {
  fiber* child = w.current;
  fiber* first = nullptr;
  fiber* last = nullptr;
  while (job* const entry = spawners_entry(*child, h, w.deque->capacity)) {
    if (entry != newest || is_measured(w)) {
      if (first != nullptr) break;
      leave_to_thief(w, child->task, *entry);
      use_own_slots(*child);
      return newest;
    }
    newest = newest->next;
    h = child->from;
    fiber& spawner = free_spawner(w, *child);
    use_own_slots(*child);
    if (last == nullptr)
      first = &spawner;
    else
      last->next = &spawner;
    last = &spawner;
    child = &spawner;
  }
  while (first != nullptr) {
    fiber& spawner = *first;
    first = spawner.next;
    hand_over(spawner);
    w.pool.push_ready(spawner);
  }
  return newest;
}

}  // namespace heist::inline v0::detail
