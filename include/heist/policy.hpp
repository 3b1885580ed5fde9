// Policies for one call: how a function forks and joins where it must not do so as its pool does.
//
//     heist::with(heist::policy::serial, [&] { return fib(30); });  // a plain recursion, to debug
//     heist::with(heist::policy::stalling, [&] { draw(context, scene); });  // bound to its thread
//
// pool::run_on chooses the worker.
#pragma once

#include <cstdint>
#include <type_traits>

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

enum class policy : std::uint8_t {
  // Every fork, spawn and loop of the function, and of what it calls, is a call, in the order of
  // the program. What it gives to a pool (run of another pool, submit, task_graph) runs there as
  // always.
  serial,
  // The function keeps its thread across every fork, join, spawn and wait, as in a pool with
  // join_kind::stalling: the thread runs other work until the function can continue. In its scopes
  // thieves steal the children, not the rest of the function. What thieves steal from it runs as
  // their pool does it.
  stalling,
};

// Calls f() with that policy and returns what it returns, or throws what it throws. On a worker it
// is a call on the same worker; a thread that works in place of one (caller_kind) gives a stalling
// f to that worker's own thread. Outside any pool a serial f runs on a worker of the default pool.
// A stalling f is called on the same thread, since such a thread only ever waits for what it forks;
// its scopes and loops run in the default pool as always.
//
// serial: the caller's open forks are exposed to other workers first, as before any wait; besides
// that it costs two reseats of the deque (tens of ns). stalling: costs nothing, or waking that
// worker. Thread-safe. Throws what making the default pool can throw.
template <class F>
requires detail::can_be_called<F>
auto with(policy p, F&& f) -> std::invoke_result_t<F>;

// Calls f() and returns what it returns, or throws what it throws. What f forks and spawns enters
// the queue of a pool with queue_order::priority with that priority, and so does what that forks in
// turn; otherwise the priority is 0. Other pools take no notice. Costs a few ns. Thread-safe.
template <class F>
requires detail::can_be_called<F>
auto with_priority(int priority, F&& f) -> std::invoke_result_t<F>;

}  // namespace heist::inline v0

#include "heist/detail/policy_impl.hpp"
