// job_system: small jobs of fixed size. A job is created first and run later, and its parent
// doesn't end before it.
//
//     heist::job_system jobs(p);
//     auto frame = jobs.create_job([] {});
//     for (mesh& m : meshes) jobs.run(jobs.create_job_as_child(frame, [&m] { skin(m); }));
//     jobs.run(frame);
//     jobs.wait(frame);
//
// A job ends when its function has returned and its children have ended. Creating one takes no lock
// and no malloc: each thread takes jobs from a ring of its own. Unlike with fork_join and scope, no
// frame must outlive the functions: this is for programs whose work doesn't nest, or that were
// written for such a system.
//
// With job_memory::heap each job comes from operator new instead. There is no limit then, but a
// job's name must not outlive the job: it is freed when it has ended, and one without a parent when
// wait() has returned.
//
// It has no threads and no queues of its own. Jobs that are run by a job, or by a function that the
// pool runs (pool::run, submit, on_worker), lie on its worker's deque, as forks do; jobs that are
// run from anywhere else enter the pool as submit() does.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "heist/detail/export.hpp"
#include "heist/detail/root.hpp"
#include "heist/error.hpp"
#include "heist/job_memory.hpp"

namespace heist::inline v0 {

class pool;

namespace detail {

class pool_impl;
struct job_record;
class job_ring;
class job_rings;

}  // namespace detail

// Thrown when all jobs of a thread's ring are in use, and it has a size of its own.
class [[gnu::visibility("default")]] job_overflow : public resource_error {
 public:
  using resource_error::resource_error;
};

class HEIST_API job_system {
 public:
  // The size of a job, and the part of it that holds the function object.
  static constexpr std::size_t job_bytes = 128;
  static constexpr std::size_t data_bytes = 48;
  // The size of a thread's ring at first, if the constructor does not say. Such a ring grows.
  static constexpr std::size_t first_jobs_per_thread = 4096;

  // Names a job, also after it has ended: its memory may then be another job's, which this doesn't
  // name. It is a plain value. With job_memory::heap it must not be used after the memory was
  // freed.
  class job {
   public:
    constexpr job() noexcept = default;  // none
    friend constexpr bool operator==(const job&, const job&) noexcept = default;

   private:
    friend job_system;
    friend detail::job_record;
    constexpr job(detail::job_record* r, std::uint64_t n) noexcept : record_(r), number_(n) {}
    detail::job_record* record_ = nullptr;
    std::uint64_t number_ = 0;
  };

  // A system of jobs for that pool, which must outlive it. A thread's ring is allocated when it
  // creates its first job (std::bad_alloc), and grows when more of its jobs live than have ended:
  // to at most four times as many places as jobs ever lived at once, which it keeps.
  explicit job_system(pool& p);

  // The same with rings that never grow. jobs_per_thread, at least 1: how many jobs that haven't
  // ended a thread can have created. Throws usage_error for 0.
  job_system(pool& p, std::size_t jobs_per_thread);

  // The same with that memory; rings grow. With job_memory::heap
  //   - a job with a parent is freed when it has ended: once it was run, only its own function and
  //     what keeps that from ending may use its name, and nobody can wait for it;
  //   - a job without a parent is freed by wait(), which must be called once;
  //   - a job that is never run, or without a parent and never waited for, is never freed.
  // These are preconditions, which cannot be checked: the memory is gone.
  job_system(pool& p, job_memory memory);

  // Waits until every job that was run has ended. Jobs that were never run are dropped, and so are
  // exceptions for which nobody waited. With job_memory::heap it waits for nothing.
  ~job_system();

  job_system(const job_system&) = delete;
  job_system& operator=(const job_system&) = delete;

  // Creates a job that will call f() or f(job), which gets the job's own name. f is copied into the
  // job: it must be trivially copyable and fit (data_bytes). Never reuses a job that hasn't ended:
  // throws job_overflow when the thread's ring is full and has a size of its own, otherwise
  // std::bad_alloc when there is no memory. Thread-safe. Costs a few ns; in a ring with a size of
  // its own a look at each of its jobs when almost all are in use. A job that is never run keeps
  // its place in the ring. With job_memory::heap it costs an operator new.
  template <class F>
  job create_job(F f) {
    return create(job{}, f);
  }

  // The same, and the parent doesn't end before it. The parent must not have ended (usage_error):
  // either it hasn't been run yet, or its function or one of its children makes this call.
  template <class F>
  job create_job_as_child(job parent, F f) {
    if (parent == job{}) throw_no_parent();
    return create(parent, f);
  }

  // Gives the job to the pool; a second time is a usage_error, but two threads must not do it at
  // once. Thread-safe. From the function of a job, or of on_worker, pool::run or submit, it costs a
  // push on the worker's deque; from elsewhere (a thread outside the pool, the inside of a fork or
  // a scope), and when the deque is full, it enters the pool. Under HEIST_SERIAL it is a call.
  void run(job j);

  // Returns when the job has ended. For a job without a parent, throws the first exception that its
  // function or one of its descendants threw. Such a job keeps its place until somebody has waited
  // for it, and of several waiters one gets the exception.
  //
  // A worker that waits runs this job and its descendants, as far as nobody has begun them, and
  // nothing else. Then its fiber is suspended, and may continue on another thread. Any other thread
  // sleeps. Throws usage_error for a job that waits for itself or for an ancestor. Waiting for a
  // job that nobody runs never ends.
  void wait(job j);

  // Whether the job has ended; true also of a handle that names none. Thread-safe; waits for
  // nothing.
  [[nodiscard]] bool is_finished(job j) const noexcept;

  // Calls f() on a worker of the pool and returns what it returns, as pool::run does. The jobs that
  // f runs lie on that worker's deque until f waits for them or returns; for many jobs that is
  // cheaper than to run them from outside one by one. Also where f is called inside of a fork.
  template <class F>
  requires detail::can_be_called<F>
  auto on_worker(F&& f) -> std::invoke_result_t<F> {
    detail::root_of<F> r(f);
    call_on_worker(r);
    return r.take();
  }
  template <class... Arguments>
  requires(!detail::is_run<Arguments...>)
  detail::refused on_worker(Arguments&&...) {
    return detail::refuse_run<Arguments...>();
  }

  // Calls body(f, l) for parts of [first, last) with at most `most` indices each (0 counts as 1),
  // in jobs that split in halves. Returns when all have ended, or throws what one threw. When a
  // ring is full, or the heap gives no memory, parts run without jobs.
  template <class Body>
  requires std::invocable<const Body&, std::size_t, std::size_t>
  void parallel_for(std::size_t first, std::size_t last, std::size_t most, const Body& body);
  template <class Body>
  requires(!std::invocable<const Body&, std::size_t, std::size_t>)
  void parallel_for(std::size_t, std::size_t, std::size_t, const Body&) {
    detail::say<detail::is_spoiled_by_const<const Body, std::size_t, std::size_t>
                    ? detail::refusal::body_is_const
                    : detail::refusal::chunk_body>();
  }

 private:
  friend detail::job_record;
  job_system(pool& p, job_memory memory, std::size_t jobs_per_thread, bool may_grow);
  using function = void (*)(void* data, job self);

  template <class F>
  static void call(void* data, job self);

  template <class F>
  job create(job parent, const F& f);
  // The place of the function object in what job::record_ points to.
  static constexpr std::size_t data_offset = job_bytes - data_bytes;
  template <class F>
  static void put(job j, const F& f) noexcept;

  template <class Body>
  struct halves;

  // Without its data; none if the ring is full, or the heap gives no memory.
  job try_create(job parent, function f);
  job create_slowly(detail::job_record* above, function f);
  detail::job_record* take_from_ring();
  [[noreturn]] void throw_overflow() const;
  [[noreturn]] static void throw_no_parent();
  [[noreturn]] static void throw_ended_parent();
  [[noreturn]] static void throw_no_job_to_run();
  void call_on_worker(detail::root& r);
  void wait_until_finished(detail::job_record& r, std::uint64_t number);

  pool& pool_;
  detail::pool_impl* const impl_;             // of pool_
  std::unique_ptr<detail::job_rings> rings_;  // without places, for job_memory::heap
  detail::job_ring* const of_workers_;        // in rings_
  job_memory memory_ = job_memory::ring;
};

}  // namespace heist::inline v0

#include "heist/detail/job_system_impl.hpp"
