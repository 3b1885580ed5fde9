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
//   P4  The one that lowers the scope's count to what the waiting owner has added, and nobody else,
//       resumes the owner.
//   P5  A child that waits with no fork open leaves its spawner's slots for its own. Otherwise each
//       one that waits would keep two stacks: its own, and that of the fiber whose slots the
//       spawner adopts. If the entry is on the deque still, the spawner is made ready like any
//       fiber that has waited, so that it needs no other stack to go on; and if it is such a child
//       itself, its spawner, too. If the entry was stolen, the child counts itself in the scope,
//       thief and child meet as in P3, and the one that comes second takes one of the two counts
//       back. That can't be the last one: the spawner is the owner, or runs in a child that is
//       counted.
//
// Source: child first, the parent's rest stealable, join by a count that only steals touch: Frigo,
// Leiserson and Randall, 1998 (Cilk-5); stacks instead of heap frames: Yang and Mellor-Crummey,
// 2016 (Fibril). Slots that a spawner leaves behind are heist's own.
#include <sched.h>

#include <cstring>
#include <utility>

#include "heist/detail/invariant.hpp"
#include "heist/scope.hpp"
#include "platform/fatal.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/free_fibers.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/fibers/switch.hpp"
#include "runtime/notes.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/fork_join.hpp"
#include "runtime/work/loop.hpp"
#include "runtime/work/scope_parts.hpp"
#include "runtime/work/views.hpp"

namespace heist::inline v0::detail {

void resume_spawner(job& slot) noexcept {
  worker& w = self_worker();
  fiber& lender = *w.current;
  spawner_entry e;
  std::memcpy(&e, slot.payload, sizeof(e));
  take_over(*e.spawner);
  fiber& array = *e.spawner->array;
  const auto h = static_cast<position>(reinterpret_cast<char*>(&slot) - array.slots);
  // P3. Relaxed: the exchange hands them on.
  e.scope->spawner_stolen(e.spawner);
  if (is_measured(w)) [[unlikely]]
    notes::spawner_is_stolen(w, *e.spawner);
  array.users.fetch_add(1, std::memory_order_relaxed);
  const rendezvous::word found = slot.state.leave_mark(entry_mark::counted);
  if (found == entry_mark::left) {
    // The spawner has its slots for itself. Relaxed: it is a user, so this isn't the last one.
    array.users.fetch_sub(1, std::memory_order_relaxed);
    slot.state.reset();
    e.scope->remove_child();  // counted twice
    place_deque(w, h, array.slots);
    switch_fiber(w, lender, *e.spawner, after_switch_action::kind::recycle);
    __builtin_unreachable();
  }
  const bool lends = lender.array == &lender;
  adopt_slots(w, *e.spawner, lender, h, slot);
  if (found == entry_mark::ended) {
    slot.state.reset();       // drop_slots() orders this before the slot's next use
    e.scope->remove_child();  // the owner doesn't wait: the spawner runs here, before its sync()
    drop_slots(w, array);
  }
  switch_fiber(w, lender, *e.spawner,
               lends ? after_switch_action::kind::lend : after_switch_action::kind::recycle);
  __builtin_unreachable();
}

namespace {

// Ends a child whose spawner was stolen, from that slot unless the child has left it
// (late_children.cpp). Afterwards its fiber is free to run the loop.
void end_stolen(worker& w, fiber& self, job* slot) noexcept {
  if (w.alone)
    platform::fatal(
        "the child of a fork() ends a spawned function whose spawner another thread had gone on "
        "with");
  self.task.main = nullptr;
  const spawned t = self.task;
  self.task.scope = nullptr;
  if (view_node* const views = leave_views(w)) [[unlikely]]
    t.scope->deposit(t.scope->key_of(t), views);  // before anybody can know of the end
  if (is_measured(w)) [[unlikely]]
    notes::stolen_child_ends(w, t.scope);
  place_deque(w, w.first_position(), self.slots);
  leave_slots(w, self);
  if (slot != nullptr) {
    if (slot->state.leave_mark(entry_mark::ended) != entry_mark::counted) return;
    slot->state.reset();  // drop_slots() orders this before the slot's next use
    drop_slots(w, *t.array);
  }
  t.scope->child_ended();
}

}  // namespace

void end_public() noexcept {
  worker& w = self_worker();
  fiber& self = *w.current;
  const spawned& t = self.task;
  if (t.array == nullptr) {
    end_stolen(w, self, nullptr);
    run_loop();
  }
  const position h = w.deque->depth();
  job& slot = slot_of(t, h);
  if (!take_back(w, h, slot)) {
    end_stolen(w, self, &slot);
    run_loop();
  }
  // The child's entry can have been stolen only if the spawner's entry overflowed the deque.
  if (self.array != t.array) {
    adopt_slots(w, *t.spawner, self, h, slot);
    drop_older_slots(w, self, 0);
  }
  if (is_measured(w)) [[unlikely]]
    notes::child_returns(w, *t.spawner, t.scope);
}

bool child_threw(wide_position place) noexcept {
  const spawned& t = self_worker().current.get()->task;
  t.scope->keep(t.scope->key_of(t), std::current_exception());
  if (hot_path::depth() != place) return true;
  // The slot can be the one that refused entries share, which prepare() has written to (D1). In any
  // other place nobody looks at it before the next push.
  hot_path::slot(place).run = nullptr;
  return false;
}

// Only the owner of a scope has handed its views to its children, and not to those that it pushes.
void give_views_back(fiber* child) noexcept {
  if (child->views == nullptr) return;
  const spawned& t = child->task;
  if (t.scope->key_of(t) == scope_state::foreign_key || t.scope->pushes()) refuse_views();
  child->task.spawner->views = std::exchange(child->views, nullptr);
}

const void* scope_owner_outside() noexcept {
  static constexpr char serial = 0;
  return serial_elision() ? &serial : nullptr;
}

void scope_state::keep(std::uint64_t key, std::exception_ptr exception) noexcept {
  const keeping hold(word_);
  if (hold.has(has_failed)) {
    if (key >= first_.key) return;
    first_.key = key;
    std::swap(first_.exception, exception);
    return;
  }
  ::new (static_cast<void*>(&first_)) first_thrown{key, std::move(exception)};
  word_.fetch_or(has_failed, std::memory_order_relaxed);  // sync() comes after the children's ends
}

void scope_state::spawner_stolen(const fiber* spawner) noexcept {
  count_child();
  if (spawner == owner_) use_key();
}
void scope_state::count_child() noexcept { word_.fetch_add(one_child, std::memory_order_relaxed); }
void scope_state::remove_child() noexcept {
  [[maybe_unused]] const auto before = word_.fetch_sub(one_child, std::memory_order_relaxed);
  HEIST_INVARIANT("spawn.cpp P3", children_in(before & (owner_waits - 1)) != 0);
}

bool scope_state::ends_the_wait() noexcept {
  // Release: what the child did; acquire: what the others did. P4.
  const std::uint64_t before = word_.fetch_sub(one_child, std::memory_order_acq_rel);
  HEIST_INVARIANT("spawn.cpp P4", children_in(before & (owner_waits - 1)) != 0);
  return children_in(before) == children_in(owner_waits + one_child);
}

void scope_state::child_ended() noexcept {
  if (ends_the_wait()) settle(state_, job::done);
}

void scope_state::clear(unsigned flag) noexcept {
  word_.fetch_and(~std::uint64_t{flag}, std::memory_order_relaxed);
}

void scope_state::sync_slow(void* thrown) {
  if ((flags() & flags_of_pushes) != 0) {
    run_pushed();
    clear(has_pushed);
  }
  // What a child spawns late after this is begun by others: that child has a stack to give up.
  if ((flags() & has_late) != 0) run_late();
  // Acquire: partner is the release in child_ended().
  if (children_in(word_.load(std::memory_order_acquire)) != 0) {
    ::new (static_cast<void*>(&state_)) rendezvous;
    if (children_in(word_.fetch_add(owner_waits, std::memory_order_acq_rel)) != 0)
      wait_until_settled(state_, {wait_kind::scope, false, this});
    // Relaxed: all children have ended, and no other thread uses the scope.
    word_.fetch_sub(owner_waits, std::memory_order_relaxed);
  }
  if ((flags() & measured) != 0) {
    clear(measured);
    notes::scope_ends(self_worker(), this);
  }
  const unsigned flags = this->flags();
  if ((flags & has_late) != 0) {
    clear(has_late);
    delete late_;
  }
  if ((flags & has_deposits) != 0) merge_deposits();
  if ((flags & has_failed) != 0) {
    clear(has_failed);
    std::exception_ptr first = std::move(first_.exception);
    first_.exception.~exception_ptr();
    if (thrown != nullptr) drop_released(thrown);
    std::rethrow_exception(std::move(first));
  }
  if (thrown != nullptr) throw_released(thrown);
  if ((flags & cut_off) != 0) {
    clear(cut_off);
    const std::uint64_t spawned = watch_->spawned.load(std::memory_order_relaxed);
    throw_cancelled(spawned - skipped(), spawned);
  }
}

bool scope_state::spawn(const spawn_functions& functions, void* closure) {
  const unsigned flags = this->flags();
  if (skip_spawned(flags)) return true;
  worker* const w = this_worker();
  if (w != nullptr && w->lock_checks != nullptr) [[unlikely]]
    w->lock_checks->look("across a spawn");
  const bool leaves_rest =
      w != nullptr && w->spawns && (flags & pushes_children) == 0 && !w->current.get()->stalls;
  fiber* child = nullptr;
  if (leaves_rest) {
    child = take_spare(*w);
    if (child == nullptr) child = take_fiber(*w);
  }
  if (child == nullptr) {
    if (leaves_rest && !is_measured(*w) && begin_later(*w, functions.to_heap, closure)) return true;
    if (w != nullptr && !w->alone && !leaves_rest && w->current.get() == owner_ &&
        hot_path::depth() == place_of_push(flags)) {
      if ((flags & flags_of_pushes) == 0) {
        top_ = start_;
        word_.fetch_or(has_pushed, std::memory_order_relaxed);
      }
      return false;
    }
    call(functions.call, closure,
         w == nullptr || w->current.get() == owner_ ? use_key() : foreign_key);
    return true;
  }
  fiber& me = *w->current;
  if (me.views != nullptr && &me == owner_) child->views = std::exchange(me.views, nullptr);
  begin_on(*w, child, functions.run_child, closure);
  return true;
}

void scope_state::begin_on(worker& w, fiber* child, child_function run, void* closure) noexcept {
  fiber& me = *w.current;
  const wide_position h = hot_path::depth();
  prepare(&me, child, h);
  child->task.depth = static_cast<position>(h);
  w.current = child;
  if (call_fiber(me, *child, run, closure)) return;
#if !HEIST_ASAN && !HEIST_TSAN  // there return_to_spawner() has done it
  // No other worker has resumed the spawner. This worker can be another one: see end_public().
  self_worker().current = &me;
  give_views_back(child);
  keep_spare(child);
#endif
}

void scope_state::pushed_threw(std::uint64_t key) noexcept { keep(key, std::current_exception()); }

void run_stolen_child(job& slot) noexcept {
  auto* const scope = reinterpret_cast<scope_state*>(pushed_child::of(slot).scope);
  {
    const views_refused in_no_order;
    scope->take_over_slot(slot);
    slot.run(slot);
  }
  complete(slot, job::done);
}

void scope_state::run_apart(job& slot) noexcept {
  const views_refused in_no_order;
  take_over_slot(slot);
  slot.run(slot);
}

void scope_state::run_public_pushed() noexcept {
  if (is_measured(self_worker())) [[unlikely]]
    return run_measured_pushed();
  if (job* const slot = join_child()) run_apart(*slot);
}

void scope_state::run_pushed_apart() noexcept {
  while (top_ != start_) {
    HEIST_INVARIANT("pushed_child.hpp C1", start_ < top_);
    const wide_position h = top_ - static_cast<wide_position>(sizeof(job));
    top_ = h;
    if (hot_path::take_private(h)) {
      job& slot = hot_path::slot(h);
      run_apart(slot);
    } else {
      run_public_pushed();
    }
  }
}

bool scope_state::push_slow(wide_position h) noexcept {
  worker& w = self_worker();
  if (w.lock_checks != nullptr) [[unlikely]]
    w.lock_checks->look("across a spawn");
  control& c = *w.deque;
  const auto place = static_cast<position>(h);
  if (place < worker::last_place(c)) {
    const bool is_pushed = w.path.push(w);
    if (is_measured(w)) [[unlikely]]
      note_measured();
    if (is_pushed) {
      look_at_entry();
      return true;
    }
    hot_path::take_private(h);  // D1: no thief will ever see it
  } else if (!hot_path::take_private(h) && w.uses_split()) {
    // A thief has seen the child already (never in the spare slot behind the last place).
    std::uint32_t reclaimed = 0;
    if (c.pop_slow(place, reclaimed) == deque::pop_result::stolen) {
      hot_path::publish(h);
      if (w.counts_all) w.count.puts.add();
      return true;
    }
    w.count.reclaims.add(reclaimed);
  }
  top_ = h;
  begin_at(w, place);
  return false;
}

namespace {

// Whether the rest of a spawner finds a place on the deque: the last one, which push_slow() has
// kept. A shared queue has no order for it, and a deque of Arora, Blumofe and Plaxton may refuse
// it: places that were stolen are used again only when it is empty.
bool may_leave_rest(const worker& w) noexcept {
  const pool_config& config = w.pool.config();
  return w.deque->depth() < w.deque->capacity && w.current.get()->stalls == 0 &&
         config.join == join_kind::greedy && config.deque != deque_kind::shared_queue &&
         config.deque != deque_kind::abp;
}

}  // namespace

// As a call the child could wait for what the owner does next.
void scope_state::run_refused(const spawn_functions& functions, void* closure) noexcept {
  worker& w = self_worker();
  w.count.inlined_forks.add();
  if (!w.alone && !is_measured(w) && !w.current.get()->is_serial) {
    if (may_leave_rest(w)) {
      fiber* child = take_spare(w);
      if (child == nullptr) child = take_fiber(w);
      if (child != nullptr) return begin_on(w, child, functions.run_child, closure);
    }
    if (begin_later(w, functions.to_heap, closure)) return;
  }
  const views_refused in_no_order;
  call(functions.call, closure, use_key());
  look_at_entry();
}

void scope_state::call(closure_function call_it, void* closure, std::uint64_t key) noexcept {
  try {
    call_it(closure);
  } catch (...) {
    keep(key, std::current_exception());
  }
}

}  // namespace heist::inline v0::detail
