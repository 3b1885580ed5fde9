// blocking(f): f may block its thread, and the pool keeps as many workers as before.
//
//     std::string line = heist::blocking([&] { return read_line(socket); });
//
// For what blocks the thread and can't suspend a fiber: a read, a std::mutex, a sleep, a library
// that does any of these.
#pragma once

#include <type_traits>

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// Calls f() on a thread beside the pool's workers while the caller's fiber is suspended, and
// returns f's result or throws what it threw. The caller may continue on another worker, as after
// fork_join. Since f runs on another thread, it sees that thread's thread_local variables,
// this_worker::index() is -1 in it, and what it calls of heist runs in the default pool: let f do
// only what blocks.
//
// A pool keeps up to 256 such threads, started as they are needed; they sleep when there is nothing
// for them to do, and end with the pool. When all are busy, or the system refuses one more, f is
// simply called and blocks its worker. On a thread outside any pool and under HEIST_SERIAL f is
// called, too. pool::stats() counts both cases. Thread-safe; allocates only for a new thread. Costs
// two wake-ups of threads.
template <class F>
requires detail::can_be_called<F>
auto blocking(F&& f) -> std::invoke_result_t<F>;

}  // namespace heist::inline v0

#include "heist/detail/blocking_impl.hpp"
