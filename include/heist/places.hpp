// Places: work near its data, on machines whose memory is in several NUMA nodes.
//
//     heist::pool pool({.placement = heist::placement_kind::by_node});
//     pool.run([&] {
//       const heist::by_place near;
//       heist::parallel_for(0, n, [&](int i) { a[i] = 0; }, near);  // pages come to their place
//       for (int step = 0; step < 100; ++step)
//         heist::parallel_for(1, n - 1, [&](int i) { b[i] = a[i - 1] + a[i + 1]; }, near);
//     });
//
// A place is a node with processors that the pool's workers may use. In a pool with
// placement_kind::by_node each worker is bound to the processors of one node. What is given to a
// place begins there if one of its workers has time; a worker of another place takes it only when
// that one has found nothing else to do, so no processor idles for the sake of a hint, and the
// bounds of work stealing stay (docs/scaling.md). Thieves ask workers of their own place first, and
// so seldom others that those who sleep at a place are woken before its work goes elsewhere.
//
// In any other pool, on a machine with one node and outside of pools there is one place, 0, and all
// of this is calls and plain loops. So a program with places runs everywhere.
//
// Source: J. Deters, J. Wu, Y. Xu, I-T. A. Lee, "A NUMA-Aware Provably-Efficient Task-Parallel
// Platform Based on the Work-First Principle", 2018: hints, and victims near first with a bound.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "heist/detail/export.hpp"
#include "heist/detail/refusal.hpp"
#include "heist/detail/root.hpp"
#include "heist/scope.hpp"

#if defined(near)
#undef near  // <windows.h> defines it as nothing
#endif

namespace heist::inline v0 {

// How many places the caller's pool has, at least 1. Thread-safe; a few ns.
[[nodiscard]] HEIST_API unsigned place_count() noexcept;

// The place of the worker that runs the caller: below place_count(). It can change across any fork,
// join or wait. 0 outside of pools. Thread-safe; a few ns.
[[nodiscard]] HEIST_API unsigned this_place() noexcept;

// The place of the caller's pool where the page of that address lies; place_count(): nobody has
// touched it yet, or it lies in memory near none of the pool's workers. Thread-safe; a system call,
// some 300 ns, where there is more than one place.
[[nodiscard]] HEIST_API unsigned place_of(const void* address) noexcept;

// Calls f() on a worker of that place, which the caller waits for as for a join, and returns its
// result or throws what it threw. A call where the caller is at that place already, where there is
// one place only, where forks are calls (policy::serial, HEIST_SERIAL), and where `place` isn't
// below place_count(). Thread-safe; costs a queue with a lock, a switch of fibers and perhaps a
// wake-up: microseconds. Allocates nothing.
template <class F>
requires detail::can_be_called<F>
auto run_at(unsigned place, F&& f) -> std::invoke_result_t<F>;

// A function without arguments that calls f() at the place where that address lies (place_of), for
// forks, spawns and submit: fork_join(near(a, f), near(b, g)).
template <class F>
[[nodiscard]] auto near(const void* address, F f);

// Calls f(k) for each place k at once, each on a worker of place k, and returns when all have
// ended. Exceptions are those of a scope's children.
template <class F>
requires std::invocable<F&, unsigned>
void for_each_place(F&& f);

// A partitioner (heist/partitioner.hpp): the range is cut into place_count() parts of equal size,
// and part k is a loop at place k, split on demand. So two loops over the same range take each part
// to the same place, and an array whose elements are first touched in such a loop lies where later
// ones use it.
struct by_place {
  // Calls work(first, last) for chunks of [0, n): see partitioner.
  template <class Work>
  void run(std::size_t n, const Work& work, unsigned workers) const;
};

// An allocator of memory whose pages lie on all nodes in turns: for what all workers read alike.
// Takes whole pages and two system calls each time; throws std::bad_alloc. Thread-safe.
template <class T>
struct interleaved_allocator {
  using value_type = T;
  interleaved_allocator() noexcept = default;
  template <class U>
  interleaved_allocator(const interleaved_allocator<U>&) noexcept {}  // NOLINT: allocators convert
  // Room for n elements, which are not made; at the beginning of a page.
  [[nodiscard]] T* allocate(std::size_t n);
  // Gives back what allocate(n) returned.
  void deallocate(T* p, std::size_t n) noexcept;
  friend bool operator==(interleaved_allocator, interleaved_allocator) noexcept { return true; }
};

}  // namespace heist::inline v0

#include "heist/detail/places_impl.hpp"
