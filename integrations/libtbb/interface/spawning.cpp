// What oneTBB's headers call to spawn tasks, to wait for them, to suspend and resume them.
#include "arenas/arena.hpp"
#include "arenas/contexts.hpp"
#include "arenas/dispatch.hpp"
#include "arenas/participant.hpp"
#include "arenas/task_stack.hpp"
#include "market/first_seat.hpp"
#include "market/market.hpp"
#include "parts/mailbox.hpp"
#include "parts/parking.hpp"

namespace tbb::detail::r1 {

using namespace heist::libtbb;

void spawn(d1::task& t, d1::task_group_context& c) {
  participant& me = seated_self();
  context_access::bind(c, me);
  task_access::set_context(t, c);
  task_access::set_isolation(t, me.isolation);
  me.in->push(*me.at, work_item::of(t));
}

void spawn(d1::task& t, d1::task_group_context& c, d1::slot_id preferred) {
  participant& me = seated_self();
  if (preferred == me.index || preferred >= me.in->size()) return r1::spawn(t, c);
  context_access::bind(c, me);
  task_access::set_context(t, c);
  task_access::set_isolation(t, me.isolation);
  task_proxy& p = task_proxy::make(t, preferred);
  // The mailbox first: who takes the task from the deque may free the proxy afterwards.
  me.in->at(preferred).mail.push(p);
  me.in->push(*me.at, work_item::of(p));
}

void submit(d1::task& t, d1::task_group_context& c, arena* where, std::uintptr_t is_critical) {
  participant& me = seated_self();
  auto& to = *reinterpret_cast<work_arena*>(where);
  context_access::bind(c, me);
  task_access::set_context(t, c);
  task_access::set_isolation(t, me.isolation);
  if (is_critical != 0)
    to.push_critical(t);
  else if (me.in == &to)
    to.push(*me.at, work_item::of(t));
  else
    to.share(t);
}

void execute_and_wait(d1::task& t, d1::task_group_context& c, d1::wait_context& wait,
                      d1::task_group_context& waits_for) {
  participant& me = seated_self();
  context_access::bind(c, me);
  task_access::set_context(t, c);
  task_access::set_isolation(t, me.isolation);
  run_until(me, wait, &t);
  context_access::rethrow(waits_for);
}

void wait(d1::wait_context& wait, d1::task_group_context& waits_for) {
  run_until(seated_self(), wait, nullptr);
  context_access::rethrow(waits_for);
}

d1::slot_id execution_slot(const d1::execution_data*) {
  const participant* const me = heist::libtbb::current_participant;
  return me == nullptr ? d1::no_slot : me->index;
}

d1::task* current_task_ptr() {
  const participant* const me = heist::libtbb::current_participant;
  return me == nullptr ? nullptr : me->running->now;
}

// Null where the thread runs no task.
d1::task_group_context* current_context() {
  const participant& me = seated_self();
  return me.running == me.outermost ? nullptr : me.running->context;
}

void notify_waiters(std::uintptr_t address) {
  parking& sleepers = parking::instance();
  sleepers.wake_those_that_wait_for(reinterpret_cast<const void*>(address));
  if (stacks_aside.load(std::memory_order_seq_cst) == 0) return;
  sleepers.wake_all();
  worker_market::instance().advertise_all();
}

// ---- task::suspend and task::resume.

void suspend(suspend_callback_type callback, void* argument) {
  participant& me = seated_self();
  task_stack& fresh = acquire_stack();
  fresh.running = nullptr;
  me.note.callback = callback;
  me.note.argument = argument;
  // resume() hands the stack to the arena, whose threads may all have left it by then.
  work_arena& where = *me.in;
  where.keeper.refer(where);
  leave_for(me, fresh, switch_note::kind::call);
  where.keeper.release(where);
}

void resume(suspend_point_type* point) {
  task_stack& s = *reinterpret_cast<task_stack*>(point);
  participant* const owner = s.bound_to;
  if (owner == nullptr) {
    s.where->push_resumable(s);
    return;
  }
  // seq_cst: before the look for sleepers; partner in may_go_on().
  s.ready.store(true, std::memory_order_seq_cst);
  parking::instance().wake(*owner);
}

suspend_point_type* current_suspend_point() {
  return reinterpret_cast<suspend_point_type*>(seated_self().on);
}

}  // namespace tbb::detail::r1
