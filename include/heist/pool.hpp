// A pool of workers.
//
//     heist::pool p{{.workers = 4}};
//     long r = p.run([] { return fib(40); });
//
// A program that needs only one pool need not make it: what it calls outside of any pool runs in
// the default one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "heist/config.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/root.hpp"
#include "heist/error.hpp"
#include "heist/fork_join.hpp"
#include "heist/future.hpp"
#include "heist/stats.hpp"

namespace heist::inline v0 {

class job_system;

namespace detail {
struct default_pool_place;
struct detached_access;
}  // namespace detail

class HEIST_API pool {
 public:
  // A pool with the defaults of pool_config.
  pool();

  // Starts the workers' threads and returns when they run. Throws usage_error for a value that
  // makes no sense (it names the field) or for a bad HEIST_* variable, resource_error if the system
  // refuses memory, or every thread, and std::bad_alloc where an allocation fails; then nothing is
  // left behind. If the system refuses only some threads, or their memory, the pool works with the
  // others: see workers() and missing_workers(). Costs one thread and two stacks for each worker.
  explicit pool(pool_config config);

  // Waits until all submitted functions have ended, wakes the workers and waits until their threads
  // have ended. Every run() must have returned: it is a mistake to destroy a pool while a thread is
  // still running something in it, or from one of its own workers.
  ~pool();

  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  // Calls f() on one of the workers and returns its result, or throws what it threw. If a worker
  // sleeps, the caller's own thread works in its place meanwhile (caller_kind), which costs a
  // third of a microsecond; otherwise the caller sleeps until a worker has called f, which costs
  // waking it up again (heist bench callers, entry). In either case f runs on a stack of the
  // pool's. If the caller is a worker of another pool, its fiber is suspended and its thread does
  // other work; if it is a worker of this pool, f is simply called. Thread-safe; any number of
  // threads may call it at once. Allocates nothing.
  template <class F>
  requires detail::can_be_called<F>
  auto run(F&& f) -> std::invoke_result_t<F> {
    return detail::run_in(impl_.get(), std::forward<F>(f));
  }
  template <class... Arguments>
  requires(!detail::is_run<Arguments...>)
  detail::refused run(Arguments&&...) {
    return detail::refuse_run<Arguments...>();
  }

  // The same on worker `index`, counted from 0. If a worker of this pool calls it, that worker
  // exposes its open forks to the others, and the call moves to worker `index`. f begins as soon as
  // that worker has nothing else to do, which can take long in a busy pool. After a fork or a wait
  // f may continue on another worker, unless it runs under policy::stalling. The caller, too, may
  // be on another worker afterwards. Throws usage_error if there is no such worker, and
  // resource_error if there is no memory for a stack; then f was not called.
  template <class F>
  requires detail::can_be_called<F>
  auto run_on(unsigned index, F&& f) -> std::invoke_result_t<F> {
    detail::root_of<F> r(f);
    detail::run_on_worker(*impl_, index, r);
    return r.take();
  }
  template <class... Arguments>
  requires(!detail::is_run<Arguments...>)
  detail::refused run_on(unsigned, Arguments&&...) {
    return detail::refuse_run<Arguments...>();
  }

  // Gives std::decay_t<F>(f) to the pool and returns at once; the future gets the result or the
  // exception. f runs on a worker, and runs to its end even if the future is destroyed: the
  // destructor of the pool waits for it, and for what it submits. Throws usage_error in a child of
  // fork() that inherited the pool, std::bad_alloc, and what moving f throws; then nothing was
  // submitted. Thread-safe. One allocation; costs what run() costs to enter the pool, but nothing
  // to return.
  template <class F>
  requires detail::can_be_kept<F>
  auto submit(F&& f, detail::place made = detail::place::here())
      -> future<std::invoke_result_t<std::decay_t<F>>> {
    return detail::submit_to(impl_.get(), std::forward<F>(f), made);
  }
  // The same with a priority: see heist::submit.
  template <class F>
  requires detail::can_be_kept<F>
  auto submit(priority urgency, F&& f, detail::place made = detail::place::here())
      -> future<std::invoke_result_t<std::decay_t<F>>> {
    return detail::submit_to(impl_.get(), std::forward<F>(f), made, urgency);
  }
  // The same under a stop condition: see heist::submit.
  template <stop_condition Stop, class F>
  requires detail::can_be_kept<F>
  auto submit(Stop stop, F&& f, detail::place made = detail::place::here())
      -> future<std::invoke_result_t<std::decay_t<F>>> {
    return detail::submit_to(
        impl_.get(),
        detail::unless_stopped<Stop, std::decay_t<F>>{std::move(stop), std::forward<F>(f)}, made);
  }
  // The same with both.
  template <stop_condition Stop, class F>
  requires detail::can_be_kept<F>
  auto submit(Stop stop, priority urgency, F&& f, detail::place made = detail::place::here())
      -> future<std::invoke_result_t<std::decay_t<F>>> {
    return detail::submit_to(
        impl_.get(),
        detail::unless_stopped<Stop, std::decay_t<F>>{std::move(stop), std::forward<F>(f)}, made,
        urgency);
  }
  template <class... Arguments>
  requires(!detail::is_submitted<Arguments...>)
  detail::refused submit(Arguments&&...) {
    return detail::refuse_submit<Arguments...>();
  }

  // The number of this pool's workers, at least 1.
  [[nodiscard]] unsigned workers() const noexcept;
  // The slot of the caller: the index, from 0, of the worker of this pool that runs it; -1 if none
  // of them does; 0 under HEIST_SERIAL. Threads from outside that work in the pool (caller_kind)
  // have the index of the worker in whose place they are, or of a seat of their own
  // (pool_config::caller_seats). So no two functions that the pool runs at the same time have the
  // same slot, and what is kept for each slot, in an array of slots() entries, needs no lock as
  // long as its user doesn't fork, join or wait.
  [[nodiscard]] int worker_index() const noexcept;
  // How many slots there are: workers() and pool_config::caller_seats, which is 0 unless the pool's
  // maker has said otherwise.
  [[nodiscard]] unsigned slots() const noexcept;
  // How many threads the system refused when the pool was made.
  [[nodiscard]] unsigned missing_workers() const noexcept;
  // The configuration of the pool, in which every default is replaced by the value that was used.
  [[nodiscard]] const pool_config& config() const noexcept;
  // A snapshot of the counters. Thread-safe, at any time. Allocates; reads a few words of each
  // worker, and asks the system for its thread's times: six microseconds each.
  [[nodiscard]] pool_stats stats() const;

  // Records what this pool does (docs/observing.md), in memory: the newest events of each thread,
  // at least so many; threads outside the pool show in the trace too if they enter regions or
  // counters. Throws usage_error if a trace is being recorded, of whatever pool, or events is below
  // 1024 or above 2^24; std::bad_alloc. Takes 10 ms; from then on an event of the slow paths costs
  // some 30 ns, and 32 bytes. Thread-safe.
  void start_trace(std::size_t events = std::size_t{1} << 16);
  // The same into a file from the beginning, so that what was recorded is there however the program
  // ends: until stop_trace() it is named path.partial-PID, and `heist report` reads it. If the disk
  // is full the trace ends there, and the program goes on. Throws resource_error besides if the
  // file can't be made.
  void start_trace(const std::string& path, std::size_t events = std::size_t{1} << 24);
  // Ends the recording and writes it: Chrome's JSON, which Perfetto's viewer and `heist report`
  // read, if the name ends in .json, the compact form if it ends in .htrace. Throws usage_error for
  // another name or if this pool records no trace, resource_error if the file can't be written:
  // then an older file is as it was, and a recording in memory is lost. Thread-safe.
  void stop_trace(const std::string& path);

 private:
  friend struct detail::default_pool_place;
  friend struct detail::detached_access;
  friend class deque_observer;
  friend class job_system;
  friend void detail::run_root(detail::pool_impl*, detail::root&);
  friend void detail::start_root(detail::pool_impl*, detail::root&);
  friend class scheduler;
  std::unique_ptr<detail::pool_impl, void (*)(detail::pool_impl*)> impl_;
};

// The pool that runs what is called outside of any pool. It is made at the first use, with
// pool_config's defaults or as configure_default_pool() has said, and lives until the process ends.
// A child process made by fork() makes its own. Throws as the constructor does, and tries again at
// the next call. Thread-safe.
HEIST_API pool& default_pool();

// How the default pool will be made; a later call replaces an earlier one. Children of fork() make
// theirs alike, unless they say otherwise before they use it. Throws usage_error if the default
// pool has been made, and for what pool's constructor throws it. Thread-safe.
HEIST_API void configure_default_pool(pool_config config);

// How many workers the default pool has, or will have when it is made: it isn't made by this. Once
// it was asked for, the number remains until configure_default_pool(), whatever becomes of
// HEIST_WORKERS and the affinity mask; only if the system refuses threads there are fewer. The
// first call reads what the system allows, the others take nanoseconds. Throws usage_error for a
// bad HEIST_* variable. Thread-safe.
[[nodiscard]] HEIST_API unsigned default_pool_workers();

// fork_join (<heist/fork_join.hpp>) in the pool p.
template <class F, class G, class... Rest>
requires(std::is_invocable_v<F> && std::is_invocable_v<G> && (std::is_invocable_v<Rest> && ...))
auto fork_join(pool& p, F&& f, G&& g, Rest&&... rest) {
  return p.run([&] {
    return fork_join(std::forward<F>(f), std::forward<G>(g), std::forward<Rest>(rest)...);
  });
}

namespace this_worker {

// The index, from 0, of the worker that runs the caller; -1 on a thread outside any pool. It can
// change across any fork, join or wait. See pool::worker_index().
[[nodiscard]] HEIST_API int index() noexcept;

// The pool that runs the caller; nullptr on a thread outside any pool, and where every function is
// a call of its caller's: under HEIST_SERIAL, and in a child of fork() that a worker made, whose
// index() is still the worker's. Makes no pool.
[[nodiscard]] HEIST_API heist::pool* pool() noexcept;

// How many workers that pool has; 0 where there is none.
[[nodiscard]] HEIST_API unsigned workers() noexcept;

}  // namespace this_worker

}  // namespace heist::inline v0
