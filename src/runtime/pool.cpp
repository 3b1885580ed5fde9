// The public pool, the default pool, and the thread-locals behind "which worker am I".
#include "heist/pool.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include "heist/detail/hot_path.hpp"
#include "platform/once.hpp"
#include "platform/process_mutex.hpp"
#include "runtime/pool_impl.hpp"
#include "runtime/worker.hpp"

namespace heist::inline v0 {

namespace detail {

namespace {

// Where every thread outside any pool writes its first fork to. Nobody reads it.
alignas(job) constinit char scratch[sizeof(job)] = {};

}  // namespace

constinit thread_local worker_front* this_thread_worker = nullptr;

constinit thread_local control this_control{0, scratch, 0};

[[gnu::noinline]] control& current_control() noexcept {
  control* c = &this_control;
  asm volatile("" : "+r"(c));  // not to be merged with another call's, before a switch
  return *c;
}

[[gnu::noinline]] worker* this_worker() noexcept {
  worker_front* w = this_thread_worker;
  asm volatile("" : "+r"(w));
  return static_cast<worker*>(w);
}

[[gnu::noinline]] worker_front* this_worker_front_call() noexcept { return this_worker(); }

void set_this_worker(worker* w) noexcept { this_thread_worker = w; }

void leave_pool() noexcept {
  control& c = current_control();
  // Relaxed: the thread's own from now on.
  c.seat.store(scratch, std::memory_order_relaxed);
  c.head.store(0, std::memory_order_relaxed);
  c.limit.store(0, std::memory_order_relaxed);
  c.capacity = 0;
  set_this_worker(nullptr);
}

void run_root(pool_impl* pool, root& r) {
  if (serial_elision())
    r.run(r);
  else if (pool != nullptr)
    pool->run(r);
  else if (worker* const w = this_worker(); w != nullptr && !w->alone)
    w->pool.run(r);
  else
    default_pool().run([&r] { r.run(r); });
}

}  // namespace detail

pool::pool() : pool(pool_config{}) {}

pool::pool(pool_config config)
    : impl_(new detail::pool_impl(std::move(config)), &detail::pool_impl::discard) {}

pool::~pool() = default;

unsigned pool::workers() const noexcept { return impl_->size(); }
unsigned pool::missing_workers() const noexcept { return impl_->missing_workers(); }
const pool_config& pool::config() const noexcept { return impl_->config(); }
pool_stats pool::stats() const { return impl_->stats(); }

namespace detail {

// Never destroyed: destructors of the program's statics may still fork, and sleeping threads don't
// keep a process from ending.
struct default_pool_place {
  platform::process_mutex making;  // guards the making of it
  std::atomic<pool*> made{nullptr};

  // The default pool if this process has made it: a child of fork() inherits the pointer, and makes
  // a pool of its own.
  [[nodiscard]] pool* get() const noexcept {
    // Acquire: partner is the release in default_pool(); carries the pool.
    pool* const p = made.load(std::memory_order_acquire);
    return p != nullptr && p->impl_->belongs_to_this_process() ? p : nullptr;
  }
};

}  // namespace detail

namespace {

constinit detail::default_pool_place the_default{};

void print_stats_at_exit() {
  const pool* const p = the_default.get();
  if (p == nullptr) return;
  try {
    std::fputs(("default pool:\n" + to_string(p->stats())).c_str(), stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("heist: no memory for the default pool's statistics\n", stderr);
  }
}

}  // namespace

pool& default_pool() {
  if (pool* const p = the_default.get()) return *p;
  const std::lock_guard hold(the_default.making);
  if (pool* const p = the_default.get()) return *p;
  auto* const p = new pool;
  if (detail::stats_from_environment()) {
    static constinit platform::once_flag registered;
    registered.call([] { static_cast<void>(std::atexit(&print_stats_at_exit)); });
  }
  the_default.made.store(p, std::memory_order_release);
  return *p;
}

namespace this_worker {

int index() noexcept {
  const detail::worker* const w = detail::this_worker();
  return w == nullptr ? -1 : static_cast<int>(w->index);
}

}  // namespace this_worker

}  // namespace heist::inline v0
