// Switching between fibers, and what follows a switch.
//
// A worker that leaves a fiber notes what shall become of it. The next fiber that runs on that
// worker carries this out first of all: a suspended fiber may be handed out, and a finished one
// recycled, only after the switch has left its stack, which is in use until then.
//
// Every switch moves the worker's deque to the slots of the next fiber (place_deque() in
// slots.hpp), and needs it to be empty. After any switch back the thread may be another one (R3).
#pragma once

#include "heist/detail/hot_path.hpp"
#include "heist/detail/rendezvous.hpp"
#include "runtime/core/fiber.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

// Suspends `left`, which runs, and resumes or starts `next`. Returns when some thread switches
// back.
void switch_fiber(fiber& left, fiber& next) noexcept;

// The same, with that note about `left`. `next` becomes the worker's current fiber.
void switch_fiber(worker& w, fiber& left, fiber& next, after_switch_action::kind note) noexcept;

// Runs a child on a free fiber: run(closure, &child, ...) on its stack. False: the child has ended,
// and nobody else has resumed the spawner. True: somebody has; the child may still be running.
bool call_fiber(fiber& spawner, fiber& child, child_function run, void* closure) noexcept;

// The end of a child where call_fiber() is made of switches.
[[noreturn]] void return_to_spawner(fiber& self) noexcept;

// What follows a switch to `self`, on its stack; the first thing that a fresh fiber does.
void arrive(fiber& self) noexcept;

// Suspends the running fiber until `state` has been settled, and starts or resumes `next`. The
// deque is empty; it lies at depth h again when the fiber resumes, perhaps on another thread.
// Debuggers show `what`.
void suspend_until_settled(worker& w, fiber& next, position h, rendezvous& state,
                           awaited what) noexcept;

// Leaves the running fiber, which can continue: at its home, or with nullptr on any worker.
// Otherwise as suspend_until_settled().
void leave_ready(worker& w, fiber& next, position h, worker* home) noexcept;

// To be called before the worker switches to a fiber that was suspended.
void note_resumed(worker& w, fiber& f) noexcept;

// Resumes a suspended fiber; the running one has ended and is recycled.
[[noreturn]] void resume(worker& w, fiber& f) noexcept;

// Leaves the running fiber, which has ended, for the thread's own stack. No fiber follows.
[[noreturn]] void leave_fibers(worker& w) noexcept;

}  // namespace heist::inline v0::detail
