// A pool's making and end, how roots come in from outside, and what is given to a place.
#include <sched.h>

#include <new>
#include <utility>

#include "heist/error.hpp"
#include "heist/places.hpp"
#include "platform/barrier.hpp"
#include "platform/fatal.hpp"
#include "platform/nodes.hpp"
#include "platform/overflow.hpp"
#include "platform/process.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/free_fibers.hpp"
#include "runtime/notes.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/views.hpp"

namespace heist::inline v0::detail {

namespace {

// Every fork and join has to call the library.
pool_config as_measured(pool_config c) {
  if (c.deque == deque_kind::split) c.deque = deque_kind::chase_lev;
  c.caller_seats = 0;
  return c;
}

// The only thread of the child may be a worker. Its pool is lost, but its forks still work, as
// calls.
void in_forked_child() noexcept {
  if (worker* const w = this_worker()) {
    w->stay_alone();
    w->deque->capacity = 0;
    w->deque->limit.store(0, std::memory_order_relaxed);  // the process has one thread
  }
}

// Called when the library is loaded: a fork() may begin before the first pool is made, and end
// after it.
[[gnu::constructor]] void watch_for_forks() noexcept {
  platform::call_in_forked_child(&in_forked_child);
}

}  // namespace

bool pool_impl::belongs_to_this_process() const noexcept {
  return generation_ == platform::process_generation();
}

pool_impl::pool_impl(pool& owner, pool_config config, fiber::entry begin)
    : owner_(owner),
      measured_(notes::measurement_for_a_pool()),
      config_(resolve(measured_ == nullptr ? std::move(config) : as_measured(std::move(config)))),
      generation_(platform::process_generation()),
      print_stats_(stats_from_environment().is_on),
      stacks_(*this, begin, config_.stack_size, config_.fork_depth + 1 + (counts_forks() ? 1 : 0)) {
  if (config_.deque == deque_kind::shared_queue) shared_.emplace(config_.order);
  platform::keep_code_loaded();
  platform::asymmetric_barrier::instance();
  platform::install_overflow_handler();
  notes::pool_begins(checking_.wanted);
  try {
    start_threads();
    order_victims();
  } catch (...) {
    open_gate(false);
    for (auto& w : workers_)
      if (w->thread.joinable()) w->thread.join();
    for (auto& w : workers_) give_stacks_back(*w);
    throw;
  }
  if (config_.on_thread_start)
    unfinished_.store(size(), std::memory_order_relaxed);  // the gate's mutex orders it
  live_pools::add(live_);
  open_gate(true);
}

void pool_impl::discard(pool_impl* p) noexcept {
  if (p->belongs_to_this_process()) {
    delete p;
    return;
  }
  // A list, so that leak checkers find it. No lock guards it: the pools of a parent process are
  // discarded by the one thread that fork() left, or under the program's own synchronisation.
  static pool_impl* abandoned = nullptr;
  p->next_abandoned_ = abandoned;
  abandoned = p;
}

pool_impl::~pool_impl() {
  if (worker* const w = this_worker(); w != nullptr && &w->pool == this)
    platform::fatal("a pool is destroyed by one of its own workers");
  stop_threads();
  // Threads have ended: a start hook may have waited for a visitor. Acquire: partner in ~visit.
  while (visitors_.load(std::memory_order_acquire) != 0) sched_yield();
  notes::pool_ends(*this, print_stats_);
  for (auto& w : workers_) {
    recycle_spares(*w);
    give_stacks_back(*w);
  }
  static_cast<void>(take_from_guests());
}

void pool_impl::run(root& r) {
  if (serial_elision()) {
    r.run(r);
    return;
  }
  if (!belongs_to_this_process())
    throw usage_error(
        "a pool that was made before fork() has no threads in the child; make another");
  worker* const w = this_worker();
  if (w != nullptr && &w->pool == this) {
    r.run(r);
    return;
  }
  notes::root_enters(w, r, measured_.get());
  if (w != nullptr || !run_as_guest(r)) {
    r.urgency = priority::high;  // somebody waits for it
    injection_.push(r);
    if (!wake_for_injection()) ask_for_entry(w != nullptr);
  }
  if (w == nullptr)
    wait_for_turn(r.state, *this);
  else
    wait_until_settled(r.state, {wait_kind::call});
  if (measured_ != nullptr) notes::root_is_received(this_worker(), r, *measured_);
  if (r.views != nullptr) receive_views(r.views);
}

void pool_impl::start(root& r) {
  if (!belongs_to_this_process())
    throw usage_error(
        "a pool that was made before fork() has no threads in the child; make another");
  if (const worker* const w = this_worker(); w != nullptr && &w->pool == this) {
    inject(r);
  } else {
    // The root may end before this call does, and the one that waits for it destroy the pool.
    const visit stay(*this);
    inject(r);
  }
}

void pool_impl::inject(root& r) noexcept {
  unfinished_.fetch_add(1, std::memory_order_relaxed);  // the queue's lock orders it
  notes::root_enters(this_worker(), r, measured_.get());
  injection_.push(r);
  if (!wake_for_injection()) ask_for_entry(true);
}

}  // namespace heist::inline v0::detail

// ---- Places (heist/places.hpp, place_queues.hpp).

namespace heist::inline v0 {

namespace detail {

// The fence's partner is that of sleepers::announce, as in wake_for_injection().
void pool_impl::run_placed(root& r, unsigned place) noexcept {
  notes::root_enters(this_worker(), r, measured_.get());
  placed_->push(r, place);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const platform::park_bits bit = platform::park_bits{1} << place % 32;
  static_cast<void>(sleepers_.wake_one(bit) || nappers_.wake_one());
  wait_until_settled(r.state, {wait_kind::call});
  if (measured_ != nullptr) notes::root_is_received(this_worker(), r, *measured_);
  if (r.views != nullptr) receive_views(r.views);
}

bool is_elsewhere(unsigned place) noexcept {
  const worker* const w = this_worker();
  return w != nullptr && !w->alone && place != w->place && place < w->pool.places() &&
         !w->current.get()->is_serial;
}

void run_placed(unsigned place, root& r) noexcept { this_worker()->pool.run_placed(r, place); }

void* allocate_interleaved(std::size_t bytes) noexcept {
  return platform::allocate_interleaved(bytes);
}
void free_interleaved(void* p, std::size_t bytes) noexcept { platform::free_interleaved(p, bytes); }

}  // namespace detail

unsigned place_count() noexcept {
  const detail::worker* const w = detail::this_worker();
  return w == nullptr ? 1 : w->pool.places();
}

unsigned this_place() noexcept {
  const detail::worker* const w = detail::this_worker();
  return w == nullptr ? 0 : w->place;
}

unsigned place_of(const void* address) noexcept {
  const detail::worker* const w = detail::this_worker();
  if (w == nullptr || w->pool.places() == 1) return 0;
  const int node = platform::node_of_page(address);
  const unsigned places = w->pool.places();
  for (unsigned k = 0; k < places; ++k)
    if (w->pool.node_of(k) == node) return k;
  return places;
}

}  // namespace heist::inline v0
