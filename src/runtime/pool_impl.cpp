#include "runtime/pool_impl.hpp"

#include <sched.h>

#include <cstdio>
#include <new>
#include <string>
#include <utility>

#include "heist/detail/parallel/pace.hpp"
#include "heist/error.hpp"
#include "platform/affinity.hpp"
#include "platform/barrier.hpp"
#include "platform/fatal.hpp"
#include "platform/overflow.hpp"
#include "platform/process.hpp"
#include "runtime/deque_sizes.hpp"
#include "runtime/free_fibers.hpp"
#include "runtime/monitor.hpp"
#include "runtime/rendezvous.hpp"
#include "runtime/stall_watch.hpp"
#include "runtime/stats_signal.hpp"
#include "runtime/stats_words.hpp"
#include "runtime/strands.hpp"
#include "runtime/views.hpp"
#include "runtime/work_span_at_exit.hpp"

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

pool_impl::pool_impl(pool& owner, pool_config config)
    : owner_(owner),
      measured_(measurement_for_a_pool()),
      config_(resolve(measured_ == nullptr ? std::move(config) : as_measured(std::move(config)))),
      generation_(platform::process_generation()),
      print_stats_(stats_from_environment()),
      stacks_(*this, config_.stack_size, config_.fork_depth + 1 + (counts_forks() ? 1 : 0)) {
  if (config_.deque == deque_kind::shared_queue) shared_.emplace(config_.order);
  platform::keep_code_loaded();
  platform::asymmetric_barrier::instance();
  platform::install_overflow_handler();
  watch_for_stats_signal();
  watch_for_hangs(checking_.wanted);
  publish_for_monitors();
  trace_from_environment();
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
  tracing::pool_ends(*this);
  if (print_stats_) {
    try {
      std::fputs((config_.name + ":\n" + table_and_words(stats())).c_str(), stderr);
    } catch (const std::bad_alloc&) {
      std::fputs("heist: no memory for a pool's statistics\n", stderr);
    }
  }
  for (auto& w : workers_) {
    recycle_spares(*w);
    give_stacks_back(*w);
  }
  static_cast<void>(take_from_guests());
}

void pool_impl::note_finished() noexcept {
  if (unfinished_.fetch_sub(1, std::memory_order_relaxed) != 1) return;
  // Partners: sleepers::announce, and stop_threads. Either this thread sees that the pool stops, or
  // whoever stop_threads() wakes sees that nothing is unfinished.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (stopping_.load(std::memory_order_relaxed)) wake_everybody();
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
  if (measured_ != nullptr) strands::enter(w, *measured_, r, strands::root_kind::awaited);
  if (tracing::is_on()) r.region = tracing::region_here();
  if (w != nullptr || !run_as_guest(r)) {
    r.urgency = priority::high;  // somebody waits for it
    injection_.push(r);
    if (!wake_for_injection()) ask_for_entry(w != nullptr);
  }
  if (w == nullptr)
    wait_for_turn(r.state, *this);
  else
    wait_until_settled(r.state, {wait_kind::call});
  if (measured_ != nullptr) strands::receive(this_worker(), *measured_, r);
  if (r.views != nullptr) receive_views(r.views);
}

void pool_impl::start(root& r) {
  if (!belongs_to_this_process())
    throw usage_error(
        "a pool that was made before fork() has no threads in the child; make another");
  if (const worker* const w = this_worker(); w != nullptr && &w->pool == this) {
    inject(r);
  } else {
    // The root may end before this call does, and whoever waits for it destroy the pool.
    const visit stay(*this);
    inject(r);
  }
}

void pool_impl::inject(root& r) noexcept {
  unfinished_.fetch_add(1, std::memory_order_relaxed);  // the queue's lock orders it
  if (measured_ != nullptr)
    strands::enter(this_worker(), *measured_, r, strands::root_kind::detached);
  if (tracing::is_on()) r.region = tracing::region_here();
  injection_.push(r);
  if (!wake_for_injection()) ask_for_entry(true);
}

job* pool_impl::take_forks(worker& w) noexcept {
  job* newest = nullptr;
  const auto take = [&](job& j) {
    if (measured_ != nullptr) strands::leave_behind(*measured_, j);
    j.next = newest;
    newest = &j;
  };
  if (shared_) return nullptr;  // what lies there is reachable
  if (!w.uses_split()) {
    for (;;) {
      int priority = 0;
      const fork_deque::answer answer = w.forks->steal(*w.loot, priority);
      if (answer.result == deque::steal_result::empty) return newest;
      if (answer.result == deque::steal_result::taken) take(*answer.item);
    }
  }
  w.deque->expose_all();
  for (;;) {
    const control::steal_answer answer = w.deque->steal();
    if (answer.result == deque::steal_result::empty) return newest;
    if (answer.result != deque::steal_result::taken) continue;
    if (w.counts_all) w.count.lost.add_shared();
    take(*reinterpret_cast<job*>(answer.item));
  }
}

void pool_impl::leave_behind(job* newest) noexcept {
  job* oldest = nullptr;
  while (newest != nullptr) {
    job* const older = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = older;
  }
  while (oldest != nullptr) {
    job* const newer = oldest->next;
    injection_.push(*oldest);
    wake_for_injection();
    oldest = newer;
  }
}

void pool_impl::leave_loot_behind(worker& w) noexcept {
  if (w.uses_split()) return;
  while (const std::optional<job*> j = w.loot->pop()) {
    if (w.counts_all) w.count.takes.add();
    if (measured_ != nullptr) strands::leave_behind(*measured_, **j);
    injection_.push(**j);
    wake_for_injection();
  }
}

void pool_impl::begin_starving() noexcept {
  starving_.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // partner: sleepers::announce
  wake_everybody();
}

void pool_impl::report_starvation() noexcept {
  // Relaxed: the flag carries nothing else.
  if (starvation_reported_.exchange(true, std::memory_order_relaxed)) return;
  std::fprintf(
      stderr,
      "heist: pool \"%s\" has %llu stacks and gets no more: workers wait, and begin nothing new "
      "(Linux: vm.max_map_count, RLIMIT_AS)\n",
      config_.name.c_str(), static_cast<unsigned long long>(stacks_.mapped()));
}

void pool_impl::push_ready(fiber& f) noexcept {
  if (f.home.get() != nullptr) {
    send_home(f);
    return;
  }
  injection_.push(f);
  wake_for_injection();
}

void pool_impl::send_home(fiber& f) noexcept {
  worker& home = *f.home.get();
  fiber* first = home.mailbox.load(std::memory_order_relaxed);
  do {
    f.next = first;
    // Release: the fiber and its next; partner: the exchange in take_mail().
  } while (!home.mailbox.compare_exchange_weak(first, &f, std::memory_order_release,
                                               std::memory_order_relaxed));
  std::atomic_thread_fence(std::memory_order_seq_cst);  // partner: sleepers::announce
  places_.move_nobody();
  wake_everybody();  // one of them is the fiber's home
}

bool pool_impl::wake_for_injection() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // partner: sleepers::announce
  places_.move_nobody();
  if (measures()) wake_timer_.begin();
  if (tracing::is_on()) tracing::begin_wake(*this);
  if (sleepers_.wake_one() || nappers_.wake_one()) return true;
  if (measures()) wake_timer_.cancel();
  return false;
}

// T3: whoever is asked sees the root, since the fence in wake_for_injection() comes before. Those
// that search are asked, too: one that has looked at the entry already may be about to run
// something. A guest whose door is closed looks at the entry when it has opened it (equip).
void pool_impl::ask_for_entry(bool ask_short_calls) noexcept {
  if (injection_.urgent() == 0 || config_.deque != deque_kind::split) return;
  const std::uint64_t short_call = 8 * ticks_per_chunk();  // 16 to 32 us
  const auto now = ticks();
  const auto ask = [&](worker& w) {
    if (!ask_short_calls && now - w.root_began.load(std::memory_order_relaxed) <= short_call)
      return;
    if (const deque_view deque(w); deque) deque->ask();
  };
  for (auto& w : workers_) ask(*w);
  for (auto& w : guests_)
    if (w->door.looks_open()) ask(*w);
}

void pool_impl::wake_everybody() noexcept {
  sleepers_.wake_all();
  nappers_.wake_all();
}

void pool_impl::wake_for_exposed(worker& waker) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // S1; partner: sleepers::announce
  if (tracing::is_on()) note_exposed(waker);
  if (!sleepers_.any() || !wake_one_for(waker)) return;
  if (config_.deque == deque_kind::split && sleepers_.any())
    waker.deque->ask();  // S1: for the others
}

void pool_impl::wake_another(worker& waker) noexcept {
  if (sleepers_.any()) static_cast<void>(wake_one_for(waker));
}

// In other deques each push makes a job public, which is too often to note.
void pool_impl::note_exposed(worker& owner) const noexcept {
  if (config_.deque == deque_kind::split)
    tracing::note(trace::event_kind::expose, static_cast<std::uint32_t>(deque_size(owner)));
}

bool pool_impl::wake_one_for(worker& waker) noexcept {
  wake_cost_.begin();
  if (measures()) wake_timer_.begin();
  if (tracing::is_on()) tracing::begin_wake(*this);
  if (!wake_elsewhere(waker)) {
    if (measures()) wake_timer_.cancel();
    return false;
  }
  waker.count.wakes.add();
  return true;
}

bool pool_impl::wake_elsewhere(worker& waker) noexcept {
  return places_.wake_elsewhere(waker.index, [this](int sleeper) {
    return sleepers_.wake_one(sleeper < 0 ? platform::any_waiter
                                          : park_bit(static_cast<unsigned>(sleeper)));
  });
}

void pool_impl::heavy_barrier() noexcept {
  platform::asymmetric_barrier::instance().heavy_barrier(tids_);
}

bool pool_impl::expose(worker& thief, worker& victim, bool if_asked) noexcept {
  const deque_view deque(victim);
  if (!deque || !deque->has_work() || deque->has_public()) return false;
  if (if_asked && !deque->is_asked()) return false;
  const std::uint32_t items = deque->expose([this] { heavy_barrier(); });
  thief.count.remote_exposes.add(items);
  return items != 0;
}

bool pool_impl::anything_to_do(worker& w) noexcept {
  // Relaxed: this comes after the fence in announce().
  if (!injection_.empty() || stopping() || w.mailbox.load(std::memory_order_relaxed) != nullptr)
    return true;
  if (shared_ && shared_->size_hint() != 0) return true;
  for (unsigned i = 0; i < slots(); ++i) {
    worker& victim = at(i);
    if (&victim == &w) continue;
    if (!victim.uses_split()) {
      if (!victim.forks->is_empty() || !victim.loot->is_empty()) return true;
    } else if (const deque_view deque(victim); deque && deque->has_work()) {
      return true;
    }
  }
  return false;
}

// Residents' deques too where guests are at work: a resident keeps a request until it is back.
void pool_impl::ask_all() noexcept {
  for (auto& w : workers_) w->deque->ask();
  for (auto& w : guests_) {
    // Relaxed look: it comes after the fence in announce(); partner: basic_guest_door::open.
    if (!w->door.looks_open()) continue;
    if (const deque_view deque(*w); deque) deque->ask();
  }
}

namespace {

counters counted_by(const worker& w) {
  counters c = w.count.snapshot();
  if (!w.uses_split()) {
    c.resizes = w.forks->resizes() + w.loot->resizes();
  } else if (w.counts_all) {
    // Takes are calls of nothing: what was put and not lost was taken.
    const std::uint64_t lost = w.count.lost.get();
    c.takes = c.puts > lost ? c.puts - lost : 0;
  }
  return c;
}

}  // namespace

pool_stats pool_impl::stats() const {
  pool_stats s;
  s.pool = config_.name;
  s.has_histograms = measures();
  std::uint64_t spares = 0;
  s.workers.resize(slots());
  const auto add = [&s, &spares](const worker& w) {
    const counters counted = counted_by(w);
    s.workers[w.index] += counted;
    s.total += counted;
    spares += w.spare_count.load(std::memory_order_relaxed);
    if (w.seen != nullptr) s.histograms += w.seen->get();
  };
  for (const auto& w : workers_) add(*w);
  for (const auto& w : guests_) add(*w);
  s.seatless_calls = seatless_calls_.load(std::memory_order_relaxed);
  const std::uint64_t taken = stack_use_.in_use();  // read at another moment than the others
  s.stacks_in_use = taken > spares ? taken - spares : 0;
  s.stacks_peak = stack_use_.peak();
  s.stacks_mapped = stacks_.mapped();
  blocking_.report_to(s);
  return s;
}

}  // namespace heist::inline v0::detail
