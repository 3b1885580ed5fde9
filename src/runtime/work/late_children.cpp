// Children that begin later, and children that don't begin: after a stop, or after the exception of
// another child.
//
// Later begin those for which there is no stack. They wait in the pool's injection queue, as roots
// of a family that their scope has, until a worker has a stack for one, or the scope's sync runs
// those that nobody has begun. As calls they could wait on their spawner's stack, for what the
// spawner does next. So do pushed children of a full deque that can't hold their spawner's rest.
// Such a child is counted in its scope like one whose spawner was stolen, and its views are
// deposited (views.hpp).
#include <atomic>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

#include "heist/scope.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/awaited_calls.hpp"
#include "runtime/work/scope_parts.hpp"
#include "runtime/work/views.hpp"

namespace heist::inline v0::detail {

bool scope_state::begin_later(worker& w, keep_function to_heap, void* closure) {
  const bool is_owner = w.current.get() == owner_;
  // What the owner has added stands before the child in the order of the program.
  if (is_owner && !pushes() && w.current.get()->views != nullptr)
    deposit(use_key(), leave_views(w));
  const std::uint64_t key = is_owner ? use_key() : foreign_key;
  root_family* const late = late_children();
  if (late == nullptr) return false;
  try {
    late_child* const child = to_heap(closure, *late);
    if (child == nullptr) return false;
    child->scope = this;
    child->key = key;
    count_child();
    w.pool.start(*child);
  } catch (...) {
    keep(key, std::current_exception());
  }
  return true;
}

// nullptr: there is no memory.
root_family* scope_state::late_children() noexcept {
  const keeping hold(word_);
  if (hold.has(has_late)) return late_;
  late_ = new (std::nothrow) root_family;
  if (late_ != nullptr) word_.fetch_or(has_late, std::memory_order_relaxed);
  return late_;
}

void scope_state::run_late() noexcept {
  while (run_newest_queued_of(*late_)) {
  }
}

void scope_state::late_child_ended(std::uint64_t key) noexcept {
  if (view_node* const views = leave_views(self_worker())) [[unlikely]]
    deposit(key, views);
  if (!ends_the_wait()) return;
  // Not resumed at once: its caller has to count the root out.
  if (fiber* const owner = settle_for_fiber(state_, job::done)) make_ready(*owner);
}

// ---- Skipped.

void scope_state::count_skipped() noexcept {
  const keeping hold(word_);
  if (!hold.has(has_skipped)) {
    ::new (static_cast<void*>(&skipped_)) std::atomic<std::uint64_t>(0);
    word_.fetch_or(has_skipped, std::memory_order_relaxed);
  }
  skipped_.fetch_add(1, std::memory_order_relaxed);
}

// Relaxed, all of it: the counts are read after the children have ended.
bool scope_state::skip_if_stopped(unsigned flags) noexcept {
  const bool by_condition = (flags & stopped) == 0;
  if (by_condition && ((flags & watched) == 0 || !watch_->stop.stop_requested())) return false;
  count_skipped();
  if (by_condition) word_.fetch_or(cut_off, std::memory_order_relaxed);
  return true;
}

bool scope_state::skip_spawned(unsigned flags) noexcept {
  if ((flags & has_failed) != 0) return true;
  if ((flags & watched) != 0) watch_->spawned.fetch_add(1, std::memory_order_relaxed);
  return skip_if_stopped(flags);
}

bool scope_state::skip_pushed(std::uint64_t key) noexcept {
  const unsigned flags = this->flags();
  if ((flags & has_failed) != 0) {
    const keeping hold(word_);
    if (first_.key <= key) return true;  // a serial run would have met that exception first
  }
  return skip_if_stopped(flags);
}

}  // namespace heist::inline v0::detail

// ---- A child that waits leaves its spawner's slots for its own, and frees its spawner (P5 in
// spawn.cpp).

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
    w.pool.push_ready(spawner, &w);
  }
  return newest;
}

}  // namespace heist::inline v0::detail
