// What a pool does about its workers whatever room asks: leaving work to others, waking, asking,
// exposing, and its statistics. Its life is in pool/, how its workers sleep in pool/pool_sleep.cpp.
#include "runtime/core/pool_impl.hpp"

#include <cstdio>

#include "heist/detail/parallel/pace.hpp"
#include "platform/barrier.hpp"
#include "platform/process_mutex.hpp"
#include "platform/thread.hpp"
#include "runtime/core/live_pools.hpp"
#include "runtime/core/stack_pool.hpp"
#include "runtime/notes.hpp"

namespace heist::inline v0::detail {

void pool_impl::note_finished() noexcept {
  if (unfinished_.fetch_sub(1, std::memory_order_relaxed) != 1) return;
  // Partners: sleepers::announce, and stop_threads. Either this thread sees that the pool stops, or
  // the one that stop_threads() wakes sees that nothing is unfinished.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (stopping_.load(std::memory_order_relaxed)) wake_everybody();
}

job* pool_impl::take_forks(worker& w) noexcept {
  job* newest = nullptr;
  const auto take = [&](job& j) {
    if (measured_ != nullptr) notes::fork_is_left_behind(j, *measured_);
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

void pool_impl::leave_behind(const worker& w, job* newest) noexcept {
  job* oldest = nullptr;
  while (newest != nullptr) {
    job* const older = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = older;
  }
  while (oldest != nullptr) {
    job* const newer = oldest->next;
    injection_.push(*oldest, w.entry.lane);
    wake_for_injection();
    oldest = newer;
  }
}

void pool_impl::leave_loot_behind(worker& w) noexcept {
  if (w.uses_split()) return;
  while (const std::optional<job*> j = w.loot->pop()) {
    if (w.counts_all) w.count.takes.add();
    if (measured_ != nullptr) notes::fork_is_left_behind(**j, *measured_);
    injection_.push(**j, w.entry.lane);
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

void pool_impl::push_ready(fiber& f, const worker* by) noexcept {
  if (f.home.get() != nullptr) {
    send_home(f);
    return;
  }
  injection_.push(f, by == nullptr ? injection_.lane_of_outsiders() : by->entry.lane);
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
  std::atomic_thread_fence(std::memory_order_seq_cst);    // partner: sleepers::announce
  if (!sleepers_.any() && !nappers_.any()) return false;  // what follows writes lines of all
  places_.move_nobody();
  if (measures()) wake_timer_.begin();
  notes::wakes(*this);
  if (sleepers_.wake_one() || nappers_.wake_one()) return true;
  if (measures()) wake_timer_.cancel();
  return false;
}

// T3: the one that is asked sees the root, since the fence in wake_for_injection() comes before.
// Those that search are asked, too: one that has looked at the entry already may be about to run
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
  notes::exposes(waker);
  if (!sleepers_.any() || !wake_one_for(waker)) return;
  if (sleepers_.any()) waker.deque->ask();  // S1: for the others
}

bool pool_impl::wake_one_for(worker& waker) noexcept {
  wake_cost_.begin();
  if (measures()) wake_timer_.begin();
  notes::wakes(*this);
  if (!wake_elsewhere(waker)) {
    if (measures()) wake_timer_.cancel();
    return false;
  }
  waker.count.wakes.add();
  return true;
}

bool pool_impl::wake_elsewhere(worker& waker) noexcept {
  return places_.wake_elsewhere(waker.index, [this, &waker](int sleeper) {
    if (sleeper >= 0) return sleepers_.wake_one(park_bit(static_cast<unsigned>(sleeper)));
    // Of its own place before others.
    return sleepers_.wake_one(placed_ == nullptr ? platform::any_waiter : park_bit(waker.index));
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
  if (placed_ != nullptr && !placed_->empty()) return true;
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
    // This deque has no take to count, so every put that no thief took is a take.
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
  std::uint64_t free = 0;  // of those that are counted
  s.workers.resize(slots());
  const auto add = [&s, &free](const worker& w) {
    const counters counted = counted_by(w);
    s.workers[w.index] += counted;
    s.total += counted;
    free += w.spare_count.load(std::memory_order_relaxed) +
            w.counted_stacks.load(std::memory_order_relaxed);
    if (w.seen != nullptr) s.histograms += w.seen->get();
  };
  for (const auto& w : workers_) {
    add(*w);
    const std::uint64_t ended_ns = w->processor_ns.load(std::memory_order_relaxed);
    const platform::thread_usage now =
        ended_ns != 0 ? platform::thread_usage{} : platform::usage_of(w->tid);
    s.processor_ns += ended_ns + now.processor_ns;
    s.ready_ns += w->ready_ns.load(std::memory_order_relaxed) + now.ready_ns;
  }
  for (const auto& w : guests_) add(*w);
  s.seatless_calls = seatless_calls_.load(std::memory_order_relaxed);
  const std::uint64_t taken = stack_use_.in_use();  // read at another moment than the others
  s.stacks_in_use = taken > free ? taken - free : 0;
  s.stacks_peak = stack_use_.peak();
  s.stacks_mapped = stacks_.mapped();
  blocking_.report_to(s);
  return s;
}

}  // namespace heist::inline v0::detail

// ---- live_pools.hpp

namespace heist::inline v0::detail {

namespace {

constinit platform::process_mutex guard;
constinit unsigned generation = 0;  // of the process whose pools are listed; guarded by the lock

}  // namespace

constinit live_pools::entry* live_pools::first_ = nullptr;

void live_pools::lock() noexcept {
  guard.lock();
  const unsigned now = platform::process_generation();
  if (generation == now) return;
  generation = now;
  first_ = nullptr;
}

void live_pools::unlock() noexcept { guard.unlock(); }

void live_pools::add(entry& e) noexcept {
  const holding hold;
  e.next = first_;
  first_ = &e;
}

void live_pools::remove(entry& e) noexcept {
  const holding hold;
  for (entry** at = &first_; *at != nullptr; at = &(*at)->next) {
    if (*at != &e) continue;
    *at = e.next;
    return;
  }
}

}  // namespace heist::inline v0::detail

// ---- stack_pool.hpp

namespace heist::inline v0::detail {

stack_pool::~stack_pool() {
  while (free_ != nullptr) {
    fiber* const f = free_;
    free_ = f->next;
    destroy_fiber(f);
  }
}

// Under lock_.
fiber* stack_pool::pop() noexcept {
  fiber* const f = free_;
  if (f == nullptr) return nullptr;
  free_ = f->next;
  free_count_.store(free_count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return f;
}

fiber* stack_pool::get() noexcept {
  {
    const std::lock_guard hold(lock_);
    if (fiber* const f = pop()) return f;
  }
  return make();
}

namespace {

// What other pools of the process have mapped in vain. False: nothing.
bool take_from_other_pools(const pool_impl& own) noexcept {
  std::size_t released = 0;
  live_pools::for_each([&](pool_impl& other) {
    if (&other != &own && released == 0) released = other.stacks().release_some(0);
  });
  return released != 0;
}

}  // namespace

fiber* stack_pool::make() noexcept {
  fiber* f = make_fiber(pool_, begin_, stack_size_, slots_);
  while (f == nullptr && take_from_other_pools(pool_))
    f = make_fiber(pool_, begin_, stack_size_, slots_);
  if (f != nullptr) mapped_.fetch_add(1, std::memory_order_relaxed);  // a number for reports
  return f;
}

void stack_pool::put(fiber& f) noexcept {
  const std::lock_guard hold(lock_);
  f.next = free_;
  free_ = &f;
  free_count_.store(free_count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

std::size_t stack_pool::release_some(std::size_t kept) noexcept {
  constexpr std::size_t at_once = 64;
  std::size_t released = 0;
  for (; released < at_once; ++released) {
    fiber* f = nullptr;
    {
      const std::lock_guard hold(lock_);
      if (has_more_than(kept)) f = pop();
    }
    if (f == nullptr) break;
    destroy_fiber(f);
  }
  mapped_.fetch_sub(released, std::memory_order_relaxed);
  return released;
}

}  // namespace heist::inline v0::detail
