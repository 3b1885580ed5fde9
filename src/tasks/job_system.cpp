#include "heist/job_system.hpp"

#include <array>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "heist/pool.hpp"
#include "platform/process_mutex.hpp"
#include "runtime/pool_impl.hpp"
#include "runtime/rendezvous.hpp"
#include "runtime/views.hpp"
#include "tasks/job_record.hpp"
#include "tasks/left_work.hpp"

namespace heist::inline v0 {

namespace detail {

namespace {

// Locks of the waiters for a job that others run, and of exceptions. Both are rare, so jobs share
// locks.
platform::process_mutex& lock_of(const job_record& r) noexcept {
  static constinit std::array<platform::process_mutex, 64> locks;
  return locks[reinterpret_cast<std::uintptr_t>(&r) / sizeof(job_record) % locks.size()];
}

// While a function of a job, or on_worker's, runs: what it leaves on the deque.
//
// When the function ends, what is still there is run at once if it belongs to the job, which can't
// end before that anyway. The rest is handed to the pool: if it ran on top of the caller, it might
// wait for what the caller does next.
class job_frame {
 public:
  explicit job_frame(job_record* r) noexcept
      : record_(r), innermost_(innermost()), outer_(std::exchange(innermost_, this)) {}
  job_frame(const job_frame&) = delete;
  job_frame& operator=(const job_frame&) = delete;

  ~job_frame() {
    while (!left_.empty()) work_off(record_);
    innermost_ = outer_;
  }

  static job_frame* current() noexcept { return static_cast<job_frame*>(innermost()); }
  // Whether this frame runs the job, or one below it.
  [[nodiscard]] bool is_inside(const job_record& r) const noexcept {
    return record_ != nullptr && record_->belongs_to(&r);
  }

  [[nodiscard]] bool push(job_record& r) noexcept { return left_.push(&run_stolen, &r); }
  [[nodiscard]] bool can_work_off() const noexcept { return left_.is_here() && !left_.empty(); }

  // Pops the newest entry. If it belongs to `wanted`, runs it here; else hands it to the pool.
  void work_off(const job_record* wanted) noexcept {
    job_record* r;
    if (!left_.pop(r)) return;
    if (wanted != nullptr && r->belongs_to(wanted))
      r->execute();
    else
      start_root(nullptr, *r);
  }

 private:
  // The innermost frame of the fiber; of the thread, where every job is a call.
  static void*& innermost() noexcept {
    static constinit thread_local void* outside_fibers = nullptr;
    worker* const w = this_worker();
    return w == nullptr ? outside_fibers : w->current.get()->job_frame;
  }

  // A thief ends the entry before it begins the job, so that whoever pops entries doesn't wait for
  // the job.
  static void run_stolen(job& j) noexcept {
    auto* const r = left_work::item_of<job_record*>(j);
    j.views = nullptr;  // whatever views the job leaves are refused
    if (fiber* const f = settle_for_fiber(j.state, job::done)) make_ready(*f);
    r->execute();
  }

  job_record* const record_;
  void*& innermost_;
  void* const outer_;
  left_work left_;
};

}  // namespace

void job_record::execute() noexcept {
  const views_refused in_no_order;
  job_frame frame(this);
  std::exception_ptr exception;
  try {
    call(data, name());
  } catch (...) {
    exception = std::current_exception();
  }
  if (exception != nullptr) keep(std::move(exception));
  end_part();  // before the frame pops what is left: only what belongs to this job is run there
}

void job_record::keep(std::exception_ptr exception) noexcept {
  const std::lock_guard hold(lock_of(*this));
  if (thrown == nullptr) std::swap(thrown, exception);
  ends_specially = true;
}

void job_record::end_part() noexcept {
  for (job_record* r = this; r != nullptr;) {
    // Release: what was done; acquire: what the others did, for whoever sees the end.
    if (r->unfinished.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    job_record* const above = r->parent;
    // No other thread touches it now.
    const std::uint64_t number = number_of(r->word.load(std::memory_order_relaxed));
    std::uint64_t after = (number + 1) << number_shift;
    if (r->ends_specially) {
      if (above == nullptr) {
        after = number << number_shift | failed;
      } else {
        if (r->thrown != nullptr) above->keep(std::exchange(r->thrown, nullptr));
        r->ends_specially = false;
        if (r->is_on_heap) {
          delete r;
          r = above;
          continue;
        }
      }
    }
    // Release: the result; partners: has_ended(), take(). Acquire: B2.
    const std::uint64_t before = r->word.exchange(after, std::memory_order_acq_rel);
    if ((before & waited) != 0) {
      waiter* w = nullptr;
      {
        const std::lock_guard hold(lock_of(*r));
        w = std::exchange(r->waiters, nullptr);
      }
      while (w != nullptr) {
        waiter* const after_it = w->next;
        w->point.end();
        w = after_it;
      }
    }
    r = above;
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
  if (word.load(std::memory_order_acquire) != (number << number_shift | failed)) return nullptr;
  std::exception_ptr taken;
  {
    const std::lock_guard hold(lock_of(*this));
    // Relaxed: written under the lock, or before what was seen above.
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

job_system::job_system(pool& p, std::size_t jobs_per_thread) : pool_(p) {
  if (jobs_per_thread == 0) throw usage_error("job_system: 0 jobs a thread are none");
  rings_ = std::make_unique<detail::job_rings>(jobs_per_thread);
}

job_system::job_system(pool& p, job_memory memory)
    : pool_(p),
      rings_(std::make_unique<detail::job_rings>(
          memory == job_memory::heap ? 0 : default_jobs_per_thread)),
      memory_(memory) {}

job_system::~job_system() {
  // A job may make more of them.
  for (bool found = true; found;) {
    found = false;
    rings_->per_thread.combine_each([&](detail::job_ring& ring) {
      for (std::size_t i = 0; i < ring.size; ++i) {
        job_record& r = ring.records[i];
        const std::uint64_t w = r.word.load(std::memory_order_acquire);
        if (job_record::is_free(w) || (w & job_record::failed) != 0 ||
            !r.started.load(std::memory_order_relaxed))
          continue;
        found = true;
        wait_until_finished(r, job_record::number_of(w));
      }
    });
  }
}

job_system::job job_system::try_create(job parent, function f, const void* data,
                                       std::size_t bytes) {
  job_record* const above = parent.record_;
  if (above != nullptr && above->has_ended(parent.number_))
    throw usage_error("job_system: the parent of a new job has ended");
  job_record* r = rings_->per_thread.local().take();
  if (r == nullptr) {
    if (memory_ == job_memory::heap) r = job_record::on_heap();
    if (r == nullptr) return {};
  }
  r->parent = above;
  r->call = f;
  std::memcpy(r->data, data, bytes);
  // Relaxed: it isn't 0, as the parent hasn't ended, and what the child does comes after its run.
  if (above != nullptr) above->unfinished.fetch_add(1, std::memory_order_relaxed);
  return r->name();
}

void job_system::throw_overflow() const {
  if (memory_ == job_memory::heap) throw std::bad_alloc();
  throw job_overflow("job_system: none of this thread's jobs has ended");
}

void job_system::throw_no_parent() { throw usage_error("job_system: a child needs a parent"); }

void job_system::run(job j) {
  if (j.record_ == nullptr || j.record_->has_ended(j.number_) ||
      j.record_->started.exchange(true, std::memory_order_relaxed))
    throw usage_error("job_system: there is no such job to run, or it was run before");
  if (pool_.worker_index() >= 0) {
    job_frame* const frame = job_frame::current();
    if (frame != nullptr && frame->push(*j.record_)) return;
  }
  detail::start_root(pool_.impl_.get(), *j.record_);
}

void job_system::wait(job j) {
  if (j.record_ == nullptr) throw usage_error("job_system: there is no such job to wait for");
  wait_until_finished(*j.record_, j.number_);
  if (std::exception_ptr thrown = j.record_->take_thrown(j.number_))
    std::rethrow_exception(std::move(thrown));
}

void job_system::wait_until_finished(job_record& r, std::uint64_t number) {
  if (r.has_ended(number)) return;
  if (job_frame* const frame = job_frame::current()) {
    if (frame->is_inside(r))
      throw usage_error("job_system: a job waits for itself, or for one above it");
    while (frame->can_work_off() && !r.has_ended(number)) frame->work_off(&r);
  }
  while (!r.has_ended(number)) r.wait_once(number);
}

bool job_system::is_finished(job j) const noexcept {
  return j.record_ == nullptr || j.record_->has_ended(j.number_);
}

void job_system::call_on_worker(detail::root& r) {
  pool_.run([&r] {
    const job_frame frame(nullptr);
    r.run(r);
  });
}

}  // namespace heist::inline v0
