#include "heist/job_system.hpp"

#include <array>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "heist/pool.hpp"
#include "platform/process_mutex.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "tasks/job_frame.hpp"
#include "tasks/job_record.hpp"

namespace heist::inline v0 {

namespace detail {

namespace {

// Locks of the waiters for a job that others run, and of exceptions. Both are rare, so jobs share
// locks.
platform::process_mutex& lock_of(const job_record& r) noexcept {
  static constinit std::array<platform::process_mutex, 64> locks;
  return locks[reinterpret_cast<std::uintptr_t>(&r) / sizeof(job_record) % locks.size()];
}

}  // namespace

void job_record::run_entered(root& r) noexcept {
  job_frame::run_entered(static_cast<job_record&>(r));
}

void job_record::keep(std::exception_ptr exception) noexcept {
  const std::lock_guard hold(lock_of(*this));
  if (thrown == nullptr) std::swap(thrown, exception);
  ends_specially = true;
}

void job_record::end_specially(std::uint64_t number) noexcept {
  if (parent == nullptr) return end_as(number << number_shift | failed);
  if (thrown != nullptr) parent->keep(std::exchange(thrown, nullptr));
  ends_specially = false;
  if (is_on_heap)
    delete this;
  else
    end_as((number + 1) << number_shift);
}

void job_record::end_waits() noexcept {
  waiter* w = nullptr;
  {
    const std::lock_guard hold(lock_of(*this));
    w = std::exchange(waiters, nullptr);
  }
  while (w != nullptr) {
    waiter* const after_it = w->next;
    w->point.end();
    w = after_it;
  }
}

void job_record::wait_once(std::uint64_t number) noexcept {
  waiter me;
  {
    const std::lock_guard hold(lock_of(*this));
    // Acquire: as in has_ended().
    std::uint64_t seen = word.load(std::memory_order_acquire);
    do {
      if (number_of(seen) != number || (seen & failed) != 0) return;
    } while (!word.compare_exchange_weak(seen, seen | waited, std::memory_order_acq_rel,
                                         std::memory_order_acquire));
    me.next = waiters;
    waiters = &me;
  }
  me.point.wait();
}

std::exception_ptr job_record::take_thrown(std::uint64_t number) noexcept {
  std::exception_ptr taken;
  {
    const std::lock_guard hold(lock_of(*this));
    // Relaxed: written under the lock, or before what has_thrown() saw.
    if (word.load(std::memory_order_relaxed) != (number << number_shift | failed)) return nullptr;
    std::swap(taken, thrown);
    ends_specially = is_on_heap;
    word.store((number + 1) << number_shift, std::memory_order_release);  // partner: take()
  }
  if (is_on_heap) delete this;
  return taken;
}

}  // namespace detail

using detail::job_frame;
using detail::job_record;

job_system::job_system(pool& p, std::size_t jobs_per_thread)
    : job_system(p, job_memory::ring, jobs_per_thread, false) {
  if (jobs_per_thread == 0) throw usage_error("job_system: 0 jobs a thread are none");
}

job_system::job_system(pool& p) : job_system(p, job_memory::ring) {}

job_system::job_system(pool& p, job_memory memory)
    : job_system(p, memory, memory == job_memory::heap ? 0 : first_jobs_per_thread, true) {}

job_system::job_system(pool& p, job_memory memory, std::size_t jobs_per_thread, bool may_grow)
    : pool_(p),
      impl_(p.impl_.get()),
      rings_(std::make_unique<detail::job_rings>(jobs_per_thread, may_grow, p.slots())),
      of_workers_(rings_->of_workers.get()),
      memory_(memory) {}

// A job may make more of them, also where this has looked already: so it looks again, until nobody
// has made one meanwhile.
job_system::~job_system() {
  const auto progress = [&] {
    std::uint64_t sum = 0;
    rings_->each_ring([&sum](detail::job_ring& ring) { sum += ring.progress(); });
    return sum;
  };
  for (bool found = true; found;) {
    const std::uint64_t before = progress();
    found = false;
    rings_->each_ring([&](detail::job_ring& ring) {
      ring.each([&](job_record& r) {
        const std::uint64_t w = r.word.load(std::memory_order_acquire);
        if (job_record::is_free(w) || (w & job_record::failed) != 0 ||
            !r.started.load(std::memory_order_relaxed))
          return;
        found = true;
        wait_until_finished(r, job_record::number_of(w));
      });
    });
    found = found || progress() != before;
  }
}

job_system::job job_system::try_create(job parent, function f) {
  job_record* const above = parent.record_;
  if (above != nullptr && above->has_ended(parent.number_)) [[unlikely]]
    throw_ended_parent();
  const detail::worker* const w = detail::worker_here();
  job_record* r;
  std::uint64_t number;
  if (w == nullptr || &w->pool != impl_ || (r = of_workers_[w->index].next()) == nullptr ||
      (number = r->take()) == 0) [[unlikely]]
    return create_slowly(above, f);
  r->prepare(above, f);
  return r->name_of(number);
}

job_record* job_system::take_from_ring() {
  const detail::worker* const w = detail::worker_here();
  const bool is_worker = w != nullptr && &w->pool == impl_;
  detail::job_ring& ring = is_worker ? of_workers_[w->index] : rings_->of_others.local();
  if (!ring.is_made()) ring.make(rings_->per_ring, rings_->may_grow);
  return ring.take();
}

// For a thread that has no ring yet, or that is no worker of the pool; and when the ring's next
// place is in use.
job_system::job job_system::create_slowly(job_record* above, function f) {
  job_record* const r = memory_ == job_memory::heap ? job_record::on_heap() : take_from_ring();
  if (r == nullptr) return {};
  r->prepare(above, f);
  return r->name();
}

void job_system::throw_ended_parent() {
  throw usage_error("job_system: the parent of a new job has ended");
}

void job_system::throw_overflow() const {
  if (rings_->may_grow) throw std::bad_alloc();
  throw job_overflow("job_system: none of this thread's jobs has ended");
}

void job_system::throw_no_parent() { throw usage_error("job_system: a child needs a parent"); }

void job_system::run(job j) {
  job_record* const r = j.record_;
  // Relaxed, both: see `started`.
  if (r == nullptr || r->has_ended(j.number_) || r->started.load(std::memory_order_relaxed))
      [[unlikely]]
    throw_no_job_to_run();
  r->started.store(true, std::memory_order_relaxed);
  detail::worker* const w = detail::worker_here();
  if (w != nullptr && &w->pool == impl_) [[likely]] {
    job_frame* frame = job_frame::innermost(w->current.get());
    if (frame == nullptr) [[unlikely]]
      frame = job_frame::for_root(*w);
    if (frame != nullptr) [[likely]]
      return frame->run(*w, *r);
  }
  const void* const key = detail::job_record::key_of(*r);
  if (r->parent != nullptr)
    detail::notes::branch_belongs(key, detail::job_record::key_of(*r->parent));
  const detail::notes::branch of(key, detail::race::kind::task, __builtin_return_address(0));
  detail::start_root(impl_, *r);
}

void job_system::throw_no_job_to_run() {
  throw usage_error("job_system: there is no such job to run, or it was run before");
}

void job_system::wait(job j) {
  if (j.record_ == nullptr) throw usage_error("job_system: there is no such job to wait for");
  wait_until_finished(*j.record_, j.number_);
  detail::notes::joins(detail::job_record::key_of(*j.record_, j.number_));
  if (!j.record_->has_thrown(j.number_)) [[likely]]
    return;
  if (std::exception_ptr thrown = j.record_->take_thrown(j.number_))
    std::rethrow_exception(std::move(thrown));
}

void job_system::wait_until_finished(job_record& r, std::uint64_t number) {
  if (r.has_ended(number)) return;
  if (job_frame* const frame = job_frame::current()) {
    if (frame->is_inside(r))
      throw usage_error("job_system: a job waits for itself, or for one above it");
    frame->work_off(r, number);
  }
  while (!r.has_ended(number)) r.wait_once(number);
}

bool job_system::is_finished(job j) const noexcept {
  return j.record_ == nullptr || j.record_->has_ended(j.number_);
}

void job_system::call_on_worker(detail::root& r) {
  pool_.run([&r] {
    job_frame frame(nullptr);
    r.run(r);
    frame.work_off();
  });
}

}  // namespace heist::inline v0
