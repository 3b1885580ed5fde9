// fork_join(f, g, ...): runs functions that may run at the same time, and waits for all of them.
//
//     auto [a, b] = heist::fork_join([&] { return sum(left); }, [&] { return sum(right); });
//
// What it costs when nobody steals: g's job is written to its slot, f is called, the job is taken
// back and g is called. That needs no atomic read-modify-write, no fence, no allocation and no
// indirect call, and both calls can be inlined. scripts/check-fast-path shows the instructions.
//
// Source: fork and join by child first, parent's rest stealable and greedy join: Blumofe and
// Leiserson, 1999, sections 3 and 4. The stealable rest is the function g, not the continuation of
// the frame, which plain C++ can't hand to another thread. The join makes up for it: the frame
// continues on whichever worker finishes last.
#pragma once

#include <cstddef>
#include <type_traits>

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// Calls f() and every other function, which may run on other workers meanwhile, and returns when
// all have ended.
//
// Returns a std::tuple of their results in order, with std::monostate for a void one; returns
// nothing if all are void. References stay references. Results must be movable; they need no
// default constructor. Rvalue functions are called as rvalues, lvalue functions in place. All must
// be callable without arguments, and must be safe to run at the same time.
//
// On one worker they run in order, left to right. What another worker steals is always the oldest
// fork. After fork_join the thread may be another one: hold no std::mutex across it, and keep no
// reference to a thread_local (docs/guide.md has what compilers keep by themselves). A function
// that another worker steals has the rounding and the other floating-point modes that were set on
// the thread that made the pool; the caller has its own modes again after the join.
//
// Throws what a serial run would have thrown: the exception of the leftmost function that threw.
// By then every function that had been started has ended; others were not started.
// Thread-safe, from any thread. A worker forks in its own pool. On any other thread the call runs
// in the default pool, where that thread works meanwhile (usage_error or resource_error if that
// pool can't be made).
template <class F, class G, class... Rest>
requires(std::is_invocable_v<F> && std::is_invocable_v<G> && (std::is_invocable_v<Rest> && ...))
[[gnu::always_inline]] inline auto fork_join(F&& f, G&& g, Rest&&... rest);

// How many older forks fork_join_lazily leaves to thieves.
inline constexpr std::size_t lazy_forks = 8;

// The same as fork_join for recursions that divide their work evenly. A worker that holds
// lazy_forks older forks which nobody has stolen, and whom no thief has asked, calls the functions
// one after the other and leaves nothing for thieves. Measure it: in one program fib took four
// fifths of fork_join's time with g++, in another as much as fork_join and a tenth more.
//
// What it gives up: thieves that have taken those older forks find nothing until the worker forks
// again, and never find what it skipped. If each function has at most half of the work of the two
// together, that is at most one part in 2^lazy_forks of the oldest fork's work. In a recursion that
// splits off one element at a time it is nearly all: there P workers may take as long as one, where
// fork_join takes T1/P + O(Tinf). docs/adr/0024-lazily-recorded-forks.md has both measured.
// Pools with another deque than split, and pools that are counted or measured, record every fork.
template <class F, class G, class... Rest>
requires(std::is_invocable_v<F> && std::is_invocable_v<G> && (std::is_invocable_v<Rest> && ...))
[[gnu::always_inline]] inline auto fork_join_lazily(F&& f, G&& g, Rest&&... rest);

}  // namespace heist::inline v0

#include "heist/detail/fork_join_impl.hpp"
