// The public pool, the default pool, and the thread-locals behind "which worker am I".
#include "heist/pool.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "heist/detail/hot_path.hpp"
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

namespace {

// Never destroyed: destructors of the program's statics may still fork, and sleeping threads don't
// keep a process from ending. A child of fork() finds another generation and makes its own.
struct default_pool_holder {
  std::mutex mutex;
  std::atomic<pool*> made{nullptr};
  std::atomic<unsigned> generation{0};
};

default_pool_holder& holder() {
  static default_pool_holder* const h = [] {
    auto* const made = new default_pool_holder;
    // A fork() while another thread makes the pool must not leave the child a locked mutex.
    pthread_atfork([] { holder().mutex.lock(); }, [] { holder().mutex.unlock(); },
                   [] { holder().mutex.unlock(); });
    return made;
  }();
  return *h;
}

void print_stats_at_exit() {
  if (pool* const p = holder().made.load(std::memory_order_acquire))
    if (holder().generation.load(std::memory_order_relaxed) == detail::fork_generation())
      std::fputs(("default pool:\n" + to_string(p->stats())).c_str(), stderr);
}

}  // namespace

pool& default_pool() {
  default_pool_holder& h = holder();
  // Acquire: partner is the release below; carries the pool.
  pool* p = h.made.load(std::memory_order_acquire);
  // Relaxed: changes only in a child of fork(), which has one thread then.
  if (p != nullptr && h.generation.load(std::memory_order_relaxed) == detail::fork_generation())
    return *p;
  const std::lock_guard hold(h.mutex);
  p = h.made.load(std::memory_order_acquire);
  if (p != nullptr && h.generation.load(std::memory_order_relaxed) == detail::fork_generation())
    return *p;
  p = new pool;
  if (detail::stats_from_environment()) {
    static const int registered = std::atexit(&print_stats_at_exit);
    static_cast<void>(registered);
  }
  h.generation.store(detail::fork_generation(), std::memory_order_relaxed);
  h.made.store(p, std::memory_order_release);
  return *p;
}

namespace this_worker {

int index() noexcept {
  const detail::worker* const w = detail::this_worker();
  return w == nullptr ? -1 : static_cast<int>(w->index);
}

}  // namespace this_worker

}  // namespace heist::inline v0
