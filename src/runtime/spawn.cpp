// Spawn: a child runs at once, on a stack of its own, and the spawner's rest can be stolen
// meanwhile.
//
// The entry that stands for the spawner's rest lies on the deque like a fork's, in the slot of the
// fork depth at which it spawned. The child forks in the same slots, above that entry. So an
// unstolen spawn is a push, a call on another stack and a pop, and the deque isn't seated anew. All
// that is inlined (scope_impl.hpp). Here are the unusual spawns, and what a steal does. Which slots
// the two use after a steal: slots.hpp.
//
// Invariants.
//   P1  The closure and the child's record lie on the child's side before the entry is pushed:
//       after that the spawner's frame may be running elsewhere.
//   P2  Only the running fiber pushes to its slots: a spawner whose rest is stolen leaves its slots
//       to the child.
//   P3  For each steal the counts of the scope and of the slots' users rise by one before the
//       spawner resumes; the child's end lowers them. Either may come first: thief and child meet
//       in the state of the entry's slot. If the child was faster, the thief lowers the counts
//       itself.
//   P4  Whoever lowers the scope's count to what the waiting owner has added, and nobody else,
//       resumes the owner.
//
// Source: child first, the parent's rest stealable, join by a count that only steals touch: Frigo,
// Leiserson and Randall, 1998 (Cilk-5); stacks instead of heap frames: Yang and Mellor-Crummey,
// 2016 (Fibril). Slots that a spawner leaves behind are heist's own.
#include <sched.h>

#include <cstring>
#include <utility>

#include "heist/scope.hpp"
#include "platform/fatal.hpp"
#include "runtime/environment.hpp"
#include "runtime/free_fibers.hpp"
#include "runtime/join.hpp"
#include "runtime/loop.hpp"
#include "runtime/pool_impl.hpp"
#include "runtime/rendezvous.hpp"
#include "runtime/scope_parts.hpp"
#include "runtime/slots.hpp"
#include "runtime/switch.hpp"
#include "runtime/views.hpp"

namespace heist::inline v0::detail {

namespace {

// The marks in the state of an entry's slot, after it was stolen.
constexpr rendezvous::word counted = 1;  // the thief has counted the child
constexpr rendezvous::word ended = 2;    // the child has ended

job& slot_of(const spawned& t) noexcept {
  return *reinterpret_cast<job*>(t.array->slots + t.depth);
}

}  // namespace

void resume_spawner(job& slot) noexcept {
  worker& w = self_worker();
  fiber& lender = *w.current;
  spawner_entry e;
  std::memcpy(&e, slot.payload, sizeof(e));
  take_over(*e.spawner);
  // P3. Relaxed: the exchange hands them on.
  e.scope->add_child();
  e.array->users.fetch_add(1, std::memory_order_relaxed);
  const bool child_was_faster = slot.state.leave_mark(counted) == ended;
  const bool lends = lender.array == &lender;
  adopt_slots(w, *e.spawner, lender, e.depth, slot);
  if (child_was_faster) {
    slot.state.reset();       // drop_slots() orders this before the slot's next use
    e.scope->remove_child();  // the owner doesn't wait: the spawner runs here, before its sync()
    drop_slots(w, *e.array);
  }
  switch_fiber(w, lender, *e.spawner,
               lends ? after_switch_action::kind::lend : after_switch_action::kind::recycle);
  __builtin_unreachable();
}

namespace {

// Ends a child whose spawner was stolen. Afterwards its fiber is free to run the loop.
void end_stolen(worker& w, fiber& self) noexcept {
  if (w.alone)
    platform::fatal(
        "the child of a fork() ends a spawned function whose spawner another thread had gone on "
        "with");
  self.task.main = nullptr;
  const spawned t = self.task;
  job& slot = slot_of(t);
  if (view_node* const views = leave_views(w)) [[unlikely]]
    t.scope->deposit(t.key, views);  // before anybody can know of the end
  seat(w, w.first_position(), self.slots);
  leave_slots(w, self);
  if (slot.state.leave_mark(ended) != counted) return;
  slot.state.reset();  // drop_slots() orders this before the slot's next use
  drop_slots(w, *t.array);
  t.scope->child_ended();
}

}  // namespace

void end_public(fiber* child) noexcept {
  fiber& self = *child;
  worker& w = self_worker();
  const spawned& t = self.task;
  job& slot = slot_of(t);
  if (!take_back(w, t.depth, slot)) {
    end_stolen(w, self);
    run_loop();
  }
  // The child's entry can have been stolen only if the spawner's entry overflowed the deque.
  if (self.array != t.array) {
    adopt_slots(w, *t.spawner, self, t.depth, slot);
    drop_older_slots(w, self, 0);
  }
}

bool child_threw(fiber* child) noexcept {
  child->task.scope->keep(child->task.key, std::current_exception());
  if (hot_path::depth() != child->task.depth) return true;
  give_views_back(child);
  return false;
}

// Only the owner of a scope has handed its views to its children.
void give_views_back(fiber* child) noexcept {
  if (child->views == nullptr) return;
  if (child->task.key == foreign_key) refuse_views();
  child->task.spawner->views = std::exchange(child->views, nullptr);
}

const void* scope_owner_outside() noexcept {
  static constexpr char serial = 0;
  return serial_elision() ? &serial : nullptr;
}

void scope_state::keep(std::uint64_t key, std::exception_ptr exception) noexcept {
  const keeping hold(flags_);
  if (hold.has(has_failed)) {
    if (key >= first_.key) return;
    first_.key = key;
    std::swap(first_.exception, exception);
    return;
  }
  ::new (static_cast<void*>(&first_)) first_thrown{key, std::move(exception)};
  flags_.fetch_or(has_failed, std::memory_order_relaxed);  // sync() comes after the children's ends
}

void scope_state::add_child() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
void scope_state::remove_child() noexcept { count_.fetch_sub(1, std::memory_order_relaxed); }

void scope_state::child_ended() noexcept {
  // Release: what the child did; acquire: what the others did. P4.
  if (count_.fetch_sub(1, std::memory_order_acq_rel) == owner_waits + 1) settle(state_, job::done);
}

void scope_state::sync_slow(void* thrown) {
  run_pushed();
  // Acquire: partner is the release in child_ended().
  if (count_.load(std::memory_order_acquire) != 0) {
    ::new (static_cast<void*>(&state_)) rendezvous;
    if (count_.fetch_add(owner_waits, std::memory_order_acq_rel) != 0) wait_until_settled(state_);
    // Relaxed: all children have ended, and no other thread uses the scope.
    count_.store(0, std::memory_order_relaxed);
  }
  const unsigned flags = flags_.load(std::memory_order_relaxed);
  if ((flags & has_deposits) != 0) merge_deposits();
  if ((flags & has_failed) != 0) {
    flags_.fetch_and(~has_failed, std::memory_order_relaxed);
    std::exception_ptr first = std::move(first_.exception);
    first_.exception.~exception_ptr();
    if (thrown != nullptr) drop_released(thrown);
    std::rethrow_exception(std::move(first));
  }
  if (thrown != nullptr) throw_released(thrown);
  if ((flags & cut_off) != 0) {
    flags_.fetch_and(~cut_off, std::memory_order_relaxed);
    const std::uint64_t spawned = watch_->spawned.load(std::memory_order_relaxed);
    throw_cancelled(spawned - skipped(), spawned);
  }
}

// Relaxed, all of it: the counts are read after the children have ended.
bool scope_state::skip_if_stopped(unsigned flags) noexcept {
  const bool by_condition = (flags & stopped) == 0;
  if (by_condition && (watch_ == nullptr || !watch_->stop.stop_requested())) return false;
  skipped_.fetch_add(1, std::memory_order_relaxed);
  if (by_condition) flags_.fetch_or(cut_off, std::memory_order_relaxed);
  return true;
}

bool scope_state::skip_spawned(unsigned flags) noexcept {
  if ((flags & has_failed) != 0) return true;
  if (watch_ != nullptr) watch_->spawned.fetch_add(1, std::memory_order_relaxed);
  return skip_if_stopped(flags);
}

bool scope_state::skip_pushed(std::uint64_t key) noexcept {
  const unsigned flags = flags_.load(std::memory_order_relaxed);
  if ((flags & has_failed) != 0) {
    const keeping hold(flags_);
    if (first_.key <= key) return true;  // a serial run would have met that exception first
  }
  return skip_if_stopped(flags);
}

bool scope_state::spawn(const spawn_functions& functions, void* closure) {
  const unsigned flags = flags_.load(std::memory_order_relaxed);
  if (skip_spawned(flags)) return true;
  worker* const w = this_worker();
  const bool leaves_rest =
      w != nullptr && w->spawns && (flags & pushes_children) == 0 && !w->current.get()->stalls;
  fiber* child = nullptr;
  if (leaves_rest) {
    child = take_spare(*w);
    if (child == nullptr) child = take_fiber(*w);
  }
  if (child == nullptr) {
    if (w != nullptr && !w->alone && !leaves_rest && w->current.get() == owner_ &&
        hot_path::depth() == place_of(pushed_))
      return false;
    call(functions, closure);
    return true;
  }
  fiber& me = *w->current;
  prepare(&me, child, hot_path::depth());
  if (me.views != nullptr && &me == owner_) child->views = std::exchange(me.views, nullptr);
  w->current = child;
  if (call_fiber(me, *child, functions.run_child, closure)) return true;
#if !HEIST_ASAN && !HEIST_TSAN  // there return_to_spawner() has done it
  // No other worker has resumed the spawner. This worker can be another one: see end_public().
  self_worker().current = &me;
  keep_spare(child);
#endif
  return true;
}

// What lies in the payload of a pushed child's slot.
struct scope_state::pushed_child {
  pushed_function function;
  void* closure;
  scope_state* scope;
  std::uint64_t key;

  void run() const noexcept {
    if (scope->skip_pushed(key)) return function(closure, false);
    const views_refused in_no_order;
    try {
      function(closure, true);
    } catch (...) {
      scope->keep(key, std::current_exception());
    }
  }

  // What a thief runs.
  static void run_stolen(job& j) noexcept {
    pushed_child c;
    std::memcpy(&c, j.payload, sizeof(c));
    c.run();
    complete(j, job::done);
  }
};

void scope_state::push(pushed_function function, void* closure) {
  static_assert(sizeof(pushed_child) <= job::payload_bytes);
  const wide_position h = hot_path::depth();
  const pushed_child c{function, closure, this, next_key_++};
  job& slot = hot_path::slot(h);
  slot.run = &pushed_child::run_stolen;
  ::new (static_cast<void*>(slot.payload)) pushed_child(c);
  hot_path::publish(h);
  if (hot_path::asked(h)) fork_slow();
  if (slot.run == nullptr) hot_path::take_private(h);  // D1: refused, and no thief will ever see it
  if (hot_path::depth() == h)
    c.run();  // the deque is full
  else if (++pushed_ == 1)
    flags_.fetch_or(has_pushed, std::memory_order_relaxed);
}

void scope_state::run_pushed() {
  while (pushed_ != 0) {
    --pushed_;
    const wide_position h = place_of(pushed_);
    const job* const slot = hot_path::take_private(h) ? &hot_path::slot(h) : join_child();
    if (slot == nullptr) continue;
    pushed_child c;  // a copy: what the child forks uses the slot again
    std::memcpy(&c, slot->payload, sizeof(c));
    c.run();
  }
  flags_.fetch_and(~has_pushed, std::memory_order_relaxed);
}

void scope_state::call(const spawn_functions& functions, void* closure) {
  const worker* const w = this_worker();
  const std::uint64_t key = w == nullptr || w->current.get() == owner_ ? next_key_++ : foreign_key;
  try {
    functions.call(closure);
  } catch (...) {
    keep(key, std::current_exception());
  }
}

}  // namespace heist::inline v0::detail
