// Stacks: what task::suspend leaves and task::resume continues.
//
// A thread that leaves a stack goes on on another one, in the same seat, with a task loop of its
// own. A stack that was left continues on whatever thread of its arena finds it, unless it is bound
// to its thread: the thread's own stack is, and one that has moved to another arena for the time of
// a call (task_arena::execute), since its return leads back to the seat that the thread had before.
//
// A worker's visit runs on such a stack from the start. So a task that suspends costs the pool no
// worker: the visit ends as soon as there is nothing else to do.
//
// When a task loop that waits inside of a task finds a stack that may go on, it sets its own aside:
// that one may go on when its wait has ended. Such stacks are few, and the one that ends a wait
// while there are any looks for them (stacks_aside).
//
// Roles. All fields belong to the thread that runs the stack, or that has it: after it was left,
// the switch_note says who gets it. ready: raised by resume(), read by the thread that it is bound
// to.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "arenas/participant.hpp"
#include "parts/abi.hpp"
#include "platform/stack_memory.hpp"
#include "runtime/core/exception_globals.hpp"

namespace heist::inline v0::libtbb {

struct task_stack {
  void* sp = nullptr;
  platform::stack_memory stack{};
  task_stack* next = nullptr;
  work_arena* where = nullptr;
  seat* at = nullptr;  // the thread's, there
  participant* bound_to = nullptr;
  unsigned moves = 0;  // how many calls of task_arena::execute have moved it to another arena
  const d1::wait_context* waits_for = nullptr;  // of one that is set aside
  // Below it nothing is stolen: a wait that steals tasks which wait would use up the stack.
  std::uintptr_t steals_above = 0;
  std::atomic<bool> ready{false};

  // Of the thread while it ran here.
  running_task* running = nullptr;
  const d1::execution_data* outermost = nullptr;
  std::intptr_t isolation = no_isolation;
  detail::exception_globals exceptions{};  // while it is not running

  // For the sanitizers.
  void* tsan_context = nullptr;
  void* asan_fake_stack = nullptr;
  const void* asan_bottom = nullptr;
  std::size_t asan_size = 0;

  [[nodiscard]] bool may_go_on() const noexcept;
};

// A stack whose entry runs a task loop; one that was recycled, or a new one. Throws std::bad_alloc
// if the system has no memory for it.
task_stack& acquire_stack();

// Leaves the running stack for `next`, which does what the note says. Returns when the stack is
// continued, perhaps on another thread.
void leave_for(participant& me, task_stack& next, switch_note::kind what,
               const d1::wait_context* waits_for = nullptr) noexcept;

// Of the thread's own suspended stacks one that may go on; nullptr if there is none. One that was
// left in another seat waits until the thread is back there: it leaves that seat when its call
// (task_arena::execute) ends. Costs a load if it has none.
[[nodiscard]] inline task_stack* first_ready_of(participant& me) noexcept {
  for (task_stack* s = me.bound; s != nullptr; s = s->next)
    if (s->at == me.at && s->may_go_on()) return s;
  return nullptr;
}
void take_out_bound(participant& me, task_stack& s) noexcept;

// How many stacks are set aside with a wait.
extern constinit std::atomic<unsigned> stacks_aside;

}  // namespace heist::inline v0::libtbb
