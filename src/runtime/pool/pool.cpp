// The public pool, and the default pool.
#include "heist/pool.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "heist/detail/root.hpp"
#include "heist/error.hpp"
#include "platform/copies.hpp"
#include "platform/once.hpp"
#include "platform/process.hpp"
#include "platform/process_mutex.hpp"
#include "platform/topology.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"
#include "runtime/notes.hpp"
#include "runtime/work/loop.hpp"

namespace heist::inline v0 {

namespace detail {

void run_root(pool_impl* pool, root& r) {
  if (serial_elision())
    r.run(r);
  else if (pool != nullptr)
    pool->run(r);
  else if (worker* const w = this_worker(); w != nullptr && !w->alone)
    w->pool.run(r);
  else
    default_pool().impl_->run(r);
}

void start_root(pool_impl* pool, root& r) {
  worker* const w = this_worker();
  const bool is_alone = w != nullptr && w->alone && (pool == nullptr || pool == &w->pool);
  if (serial_elision() || is_alone)
    r.run(r);
  else if (pool != nullptr)
    pool->start(r);
  else if (w != nullptr)
    w->pool.start(r);
  else
    default_pool().impl_->start(r);
}

}  // namespace detail

pool::pool() : pool(pool_config{}) {}

pool::pool(pool_config config)
    : impl_(new detail::pool_impl(*this, std::move(config), &detail::fiber_main),
            &detail::pool_impl::discard) {}

pool::~pool() { detail::notes::joins(impl_.get()); }

unsigned pool::workers() const noexcept { return impl_->size(); }
unsigned pool::slots() const noexcept { return impl_->slots(); }
unsigned pool::missing_workers() const noexcept { return impl_->missing_workers(); }
const pool_config& pool::config() const noexcept { return impl_->config(); }
pool_stats pool::stats() const { return impl_->stats(); }

namespace detail {

// Never destroyed: destructors of the program's statics may still fork, and sleeping threads don't
// keep a process from ending.
struct default_pool_place {
  platform::process_mutex making;  // held while the pool is made, or configured
  std::atomic<pool*> made{nullptr};
  const pool_config* wanted = nullptr;  // by the program, if it has said so; guarded by making
  // How many workers it will have; 0: nobody has asked. Relaxed: it is a number and nothing else.
  std::atomic<unsigned> promised{0};

  // The default pool if this process has made it: a child of fork() inherits the pointer, and makes
  // a pool of its own.
  [[nodiscard]] pool* get() const noexcept {
    // Acquire: partner is the release in default_pool(); carries the pool.
    pool* const p = made.load(std::memory_order_acquire);
    return p != nullptr && p->impl_->belongs_to_this_process() ? p : nullptr;
  }

  // Under making.
  [[nodiscard]] pool_config next() const {
    pool_config c = wanted == nullptr ? pool_config{} : *wanted;
    if (const unsigned n = promised.load(std::memory_order_relaxed); n != 0) c.workers = n;
    return c;
  }
};

}  // namespace detail

namespace {

constinit detail::default_pool_place the_default{};

void print_stats_at_exit() {
  if (const pool* const p = the_default.get()) detail::notes::program_ends(*p);
}

}  // namespace

// The loader is called without the lock: a thread that loads something may run an initialiser that
// wants the default pool, and holds the loader's lock until it has it.
pool& default_pool() {
  if (pool* const p = the_default.get()) return *p;
  platform::keep_code_loaded();
  std::unique_lock hold(the_default.making);
  if (the_default.get() == nullptr &&
      detail::pool_impl::asks_for_topology(detail::resolve(the_default.next()))) {
    hold.unlock();
    platform::keep_topology();
    hold.lock();
  }
  if (pool* const p = the_default.get()) return *p;
  auto* const p = new pool(the_default.next());
  if (detail::stats_from_environment().is_on) {
    static constinit platform::once_flag registered;
    registered.call([] { static_cast<void>(std::atexit(&print_stats_at_exit)); });
  }
  platform::note_default_pool(p->workers());
  the_default.made.store(p, std::memory_order_release);
  return *p;
}

void configure_default_pool(pool_config config) {
  static_cast<void>(detail::resolve(config));  // throws for what makes no sense
  const std::lock_guard hold(the_default.making);
  if (the_default.get() != nullptr)
    throw usage_error(
        "configure_default_pool: the default pool has been made; call this before anything that "
        "runs there");
  const pool_config* const old = the_default.wanted;
  the_default.wanted = new pool_config(std::move(config));
  the_default.promised.store(0, std::memory_order_relaxed);
  delete old;
}

unsigned default_pool_workers() {
  if (const pool* const p = the_default.get()) return p->workers();
  if (const unsigned n = the_default.promised.load(std::memory_order_relaxed); n != 0) return n;
  const std::lock_guard hold(the_default.making);
  if (const pool* const p = the_default.get()) return p->workers();
  const unsigned n = detail::resolve(the_default.next()).workers;
  the_default.promised.store(n, std::memory_order_relaxed);
  return n;
}

namespace this_worker {

int index() noexcept {
  const detail::worker* const w = detail::this_worker();
  return w == nullptr ? -1 : static_cast<int>(w->index);
}

heist::pool* pool() noexcept {
  const detail::worker* const w = detail::this_worker();
  return w == nullptr || w->alone ? nullptr : &w->pool.owner();
}

unsigned workers() noexcept {
  const detail::worker* const w = detail::this_worker();
  return w == nullptr || w->alone ? 0 : w->workers.get();
}

}  // namespace this_worker

}  // namespace heist::inline v0
