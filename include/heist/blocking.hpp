// blocking(f): f may block its thread, and the pool goes on with as many workers as before.
//
//     std::string line = heist::blocking([&] { return read_line(socket); });
//
// For what fibers can't wait for: a read, a std::mutex, a sleep, a library that does any of these.
#pragma once

#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/root.hpp"

namespace heist::inline v0 {

namespace detail {

// Runs it on a thread that may block, and returns when it has ended.
HEIST_API void run_blocking(root& r);

}  // namespace detail

// Calls f() on a thread beside the pool's workers while the caller's fiber is suspended, and returns f's result or throws what
// it threw. The caller may go on on another worker, as after fork_join. Since f runs elsewhere, it sees another thread's
// thread_local variables, this_worker::index() is -1 in it, and what of heist it calls runs in the default pool: keep f
// to what blocks.
//
// A pool keeps up to 256 such threads, started as they are needed; they sleep when there is nothing for them, and end with the
// pool. When all are busy, or the system refuses one more, f is simply called, and its worker is held up. So it is on a
// thread outside any pool and under HEIST_SERIAL. pool::stats() counts both. Thread-safe; allocates nothing but for a new
// thread. Costs two wake-ups of threads.
template <class F>
requires std::is_invocable_v<F>
auto blocking(F&& f) -> std::invoke_result_t<F> {
  detail::root_of<F> r(f);
  detail::run_blocking(r);
  return r.take();
}

}  // namespace heist::inline v0
