// Policies for one call: what the forks and joins of a function do that is to be run otherwise than its pool does it.
//
//     heist::with(heist::policy::serial, [&] { return fib(30); });        // a plain recursion, to debug
//     heist::with(heist::policy::stalling, [&] { draw(context, scene); });  // a context that is bound to its thread
//
// pool::run_on chooses the worker as well.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/root.hpp"

namespace heist::inline v0 {

enum class policy : std::uint8_t {
  // Every fork, spawn and loop of the function is a call, in the order of the program. Also in what it calls. What it hands
  // to a pool (run of another pool, submit, task_graph) is run there as always.
  serial,
  // The function keeps its thread across every fork, join, spawn and wait, as in a pool with join_kind::stalling: the thread
  // runs other work until the function can go on. Its scopes leave children to thieves and not its rest. What
  // thieves take from it is run as their pool does it.
  stalling,
};

namespace detail {

HEIST_API void run_with(policy p, root& r);

}  // namespace detail

// Calls f() with that policy and returns what it returns, or throws what it throws. A worker calls it where it is. Outside any
// pool a serial f is run by a worker of the default pool; a stalling one is called where it is, since
// such a thread only ever waits for what it forks; a scope or a loop that it runs is in the default pool as always.
//
// serial: the forks that the caller has open are handed to other workers first, as before any wait; costs two seatings of
// the deque besides (tens of ns). stalling: costs nothing. Thread-safe. Throws what making the default pool can throw.
template <class F>
requires std::is_invocable_v<F>
auto with(policy p, F&& f) -> std::invoke_result_t<F> {
  detail::root_of<F> r(f);
  detail::run_with(p, r);
  return r.take();
}

}  // namespace heist::inline v0
