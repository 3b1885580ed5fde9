// task::suspend and task::resume.
#include "arenas/arena.hpp"
#include "arenas/task_stack.hpp"
#include "market/first_seat.hpp"
#include "parts/parking.hpp"

namespace tbb::detail::r1 {

using namespace heist::libtbb;

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
