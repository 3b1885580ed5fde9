// A pool of workers.
//
//     heist::pool p{{.workers = 4}};
//     long r = p.run([] { return fib(40); });
//
// A program that is content with one pool needs none of its own: what it calls outside of any pool
// runs in the default one.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "heist/config.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/root.hpp"
#include "heist/error.hpp"
#include "heist/future.hpp"
#include "heist/stats.hpp"

namespace heist::inline v0 {

class job_system;

namespace detail {
struct default_pool_place;
}

class HEIST_API pool {
 public:
  // A pool with the defaults of pool_config.
  pool();

  // Starts the workers' threads and returns when they are there. Throws usage_error for a value
  // that makes no sense (it names the field) or for a bad HEIST_* variable, resource_error if the
  // system refuses memory, or every thread, std::bad_alloc where an allocation fails; then nothing is
  // left behind. If it refuses some threads only, or their memory, the pool works with those that
  // it got: see workers() and missing_workers(). Costs a thread and two stacks each.
  explicit pool(pool_config config);

  // Waits until what was submitted has ended, wakes the workers and waits until their threads have ended. What was run
  // must have returned: it is a mistake to destroy a pool that somebody is still running something in, or
  // from one of its own workers.
  ~pool();

  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  // Calls f() on one of the workers and returns its result, or throws what it threw. The caller
  // sleeps meanwhile; if it is a worker of another pool, its fiber is suspended and its thread does
  // other work; if it is a worker of this pool, f is simply called. Thread-safe, by any number of
  // threads at once. Allocates nothing; costs waking up a worker and then the caller (heist bench entry).
  template <class F>
  requires std::is_invocable_v<F>
  auto run(F&& f) -> std::invoke_result_t<F> {
    return detail::run_in(impl_.get(), std::forward<F>(f));
  }

  // The same on worker `index`, from 0: a worker of this pool that calls it hands its open forks to the others and
  // moves there. f begins as soon as that worker has nothing else to do, which can take long in a pool that is busy. It
  // may go on on another worker after a fork or a wait, unless it is run with policy::stalling there. The caller
  // can find itself on another worker afterwards, too. usage_error if there is no such worker, resource_error if there
  // is no memory for a stack; then f was not called.
  template <class F>
  requires std::is_invocable_v<F>
  auto run_on(unsigned index, F&& f) -> std::invoke_result_t<F> {
    detail::root_of<F> r(f);
    detail::run_on_worker(*impl_, index, r);
    return r.take();
  }

  // Hands std::decay_t<F>(f) to the pool and returns at once; the future gets the result or the exception. It is run on
  // a worker, to its end also if nobody keeps the future: the destructor waits for it, and for what it submits. Throws
  // usage_error in a child of fork() that inherited the pool, std::bad_alloc, and what moving f throws; then nothing
  // was handed in. Thread-safe. One allocation; costs an entry as run() does, without the way back.
  template <class F>
  requires std::is_invocable_v<std::decay_t<F>>
  auto submit(F&& f) -> future<std::invoke_result_t<std::decay_t<F>>> {
    return detail::submit_to(impl_.get(), std::forward<F>(f));
  }
  // The same under a stop condition: see heist::submit.
  template <stop_condition Stop, class F>
  requires std::is_invocable_v<std::decay_t<F>>
  auto submit(Stop stop, F&& f) -> future<std::invoke_result_t<std::decay_t<F>>> {
    return detail::submit_to(impl_.get(), detail::unless_stopped<Stop, std::decay_t<F>>{
                                              std::move(stop), std::forward<F>(f)});
  }

  // Workers that this pool has: at least 1.
  [[nodiscard]] unsigned workers() const noexcept;
  // The index of the worker of this pool that runs the caller, from 0; -1 if none of them does; 0 under HEIST_SERIAL.
  [[nodiscard]] int worker_index() const noexcept;
  // Threads that the system refused when the pool was made.
  [[nodiscard]] unsigned missing_workers() const noexcept;
  // What it was made with; the defaults replaced by what they came to.
  [[nodiscard]] const pool_config& config() const noexcept;
  // Thread-safe, at any time. Allocates; reads a few words of each worker.
  [[nodiscard]] pool_stats stats() const;

 private:
  friend struct detail::default_pool_place;
  friend class job_system;
  friend void detail::start_root(detail::pool_impl*, detail::root&);
  friend class scheduler;
  std::unique_ptr<detail::pool_impl, void (*)(detail::pool_impl*)> impl_;
};

// The pool that runs what is called outside of any pool. Made at the first use, with pool_config's
// defaults; lives until the process ends. A child made by fork() makes its own anew. Throws as the
// constructor does, and tries again at the next call. Thread-safe.
HEIST_API pool& default_pool();

namespace this_worker {

// The index of the worker that runs the caller, from 0; -1 on a thread outside any pool. It can
// change across any fork, join or wait.
[[nodiscard]] HEIST_API int index() noexcept;

}  // namespace this_worker

}  // namespace heist::inline v0
