#include "market/market.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "arenas/dispatch.hpp"
#include "arenas/participant.hpp"
#include "arenas/task_stack.hpp"
#include "heist/detail/invariant.hpp"
#include "heist/policy.hpp"
#include "heist/pool.hpp"
#include "market/reports.hpp"
#include "parts/controls.hpp"
#include "parts/float_word.hpp"
#include "parts/parking.hpp"

namespace heist::inline v0::libtbb {

namespace {

// Programs for oneTBB expect no exception of heist's: what it says ends them with one line.
unsigned size_of_default_pool() noexcept {
  try {
    return default_pool().workers();
  } catch (const usage_error& e) {
    std::fprintf(stderr, "heist-tbb: %s\n", e.what());
    std::_Exit(2);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heist-tbb: %s\n", e.what());
    std::_Exit(1);
  }
}

}  // namespace

worker_market& worker_market::instance() {
  static worker_market* const one =
      new worker_market;  // never destroyed: workers may visit at the end
  return *one;
}

worker_market::worker_market() : pool_size_(size_of_default_pool()) {
  set_usual_parallelism(std::max(pool_size_, 1u));
  if (report_is_wanted())
    std::atexit([] {
      instance().note_arenas();
      write_report();
    });
}

void worker_market::note_arenas() noexcept {
  const std::lock_guard held(lock_);
  for (work_arena* a : arenas_) note_end_of(*a);
}

work_arena& worker_market::make_arena(unsigned size, unsigned reserved, int priority,
                                      const d1::constraints& c) {
  auto made = std::make_unique<work_arena>(*this, size, reserved, priority, c);
  const std::lock_guard held(lock_);
  const auto place = std::ranges::find_if(
      arenas_, [&](const work_arena* other) { return other->priority < priority; });
  arenas_.insert(place, made.get());
  return *made.release();
}

void worker_market::refer(work_arena& a) noexcept {
  const std::lock_guard held(lock_);
  ++a.references;
}

void worker_market::release(work_arena& a) noexcept {
  std::unique_lock held(lock_);
  drop(a, held);
}

// The last reference ends the arena. Its demand is one, too. M4.
void worker_market::drop(work_arena& a, std::unique_lock<std::mutex>& held) noexcept {
  HEIST_INVARIANT("market.hpp M4", a.references != 0);
  --a.references;
  const bool asks_in_vain = a.references == 1 && a.demand != 0 && !a.has_work();
  if (a.references != 0 && !asks_in_vain) return;
  std::erase(arenas_, &a);
  if (asks_in_vain) {  // others may have its workers
    allot();
    start_visits(held);
  }
  held.unlock();
  note_end_of(a);
  delete &a;
  held.lock();
}

void worker_market::ask_for_workers(work_arena& a, bool must_run) noexcept {
  std::unique_lock held(lock_);
  const bool is_new = must_run && !a.must_run;
  if (must_run) a.must_run = true;
  const unsigned wanted = std::max(a.max_workers, a.must_run ? 1u : 0u);
  if (a.demand >= wanted && !is_new) return;
  if (a.demand == 0) ++a.references;
  a.demand = wanted;
  allot();
  start_visits(held);
}

bool worker_market::give_up(work_arena& a) noexcept {
  std::unique_lock held(lock_);
  if (a.has_work()) return false;
  if (a.demand == 0) return true;
  if (a.has_called()) return false;  // M1
  ask_for_nobody(a, held);
  return true;
}

// Under the lock.
void worker_market::ask_for_nobody(work_arena& a, std::unique_lock<std::mutex>& held) noexcept {
  a.demand = 0;
  a.must_run = false;
  allot();
  start_visits(held);
  drop(a, held);
}

void worker_market::seat_was_left(work_arena& a) noexcept {
  std::unique_lock held(lock_);
  a.is_full.store(false, std::memory_order_relaxed);  // relaxed: under the lock
  allot();
  start_visits(held);
}

// In an arena for threads from outside alone, what was enqueued brings a worker along.
unsigned worker_market::concurrency_of(const work_arena& a) noexcept {
  const std::lock_guard held(lock_);
  return a.concurrency() + (a.must_run && a.concurrency() == 1 && a.reserved() == 1 ? 1 : 0);
}

void worker_market::allot_again() noexcept {
  std::unique_lock held(lock_);
  allot();
  start_visits(held);
}

// Under the lock, both.
std::size_t worker_market::visits_allowed() const noexcept {
  return std::min(allowed_parallelism() - 1, std::max(pool_size_, 2u) - 1 + late_visits_);
}
bool worker_market::holds_visits_back() const noexcept {
  if (visits_allowed() == allowed_parallelism() - 1) return false;
  return std::ranges::any_of(arenas_, [](const work_arena* a) { return a->demand != 0; });
}

// Under the lock. How many workers the arena could have. Where none is allowed, one runs what was
// enqueued, though nobody waits for it.
std::size_t worker_market::could_have(const work_arena& a) const noexcept {
  // Relaxed, both: under the lock. M3.
  if (a.is_full.load(std::memory_order_relaxed)) return a.active.load(std::memory_order_relaxed);
  if (visits_allowed() == 0) return a.must_run ? 1 : 0;
  return a.demand;
}

// Under the lock.
void worker_market::allot() noexcept {
  std::size_t left = std::max<std::size_t>(visits_allowed(), 1);
  for (auto level = arenas_.begin(); level != arenas_.end();) {
    const auto end = std::find_if(level, arenas_.end(), [&](const work_arena* a) {
      return a->priority != (*level)->priority;
    });
    std::size_t asked = 0;
    for (auto a = level; a != end; ++a) asked += could_have(**a);
    const std::size_t given = std::min(asked, left);
    std::size_t carry = 0;
    for (auto a = level; a != end; ++a) {
      std::size_t share = could_have(**a);
      if (asked != 0 && given < asked) {
        carry += share * given;
        share = carry / asked;
        carry %= asked;
      }
      // Relaxed: workers look at it again and again.
      (*a)->allotted.store(static_cast<unsigned>(share), std::memory_order_relaxed);
    }
    left -= given;
    level = end;
  }
}

// Under the lock, which is given up while visits are submitted: where forks are calls, they run at
// once. A visit that finds nothing to do is harmless.
void worker_market::start_visits(std::unique_lock<std::mutex>& held) noexcept {
  std::size_t wanted = 0;
  for (const work_arena* a : arenas_) {
    // Relaxed, both: under the lock.
    const unsigned allotted = a->allotted.load(std::memory_order_relaxed);
    const unsigned active = a->active.load(std::memory_order_relaxed);
    if (allotted > active) wanted += allotted - active;
  }
  const std::size_t most = std::max<std::size_t>(visits_allowed(), 1);
  // Without a watch all of them may begin, at the next call.
  if (holds_visits_back() && !watch_.begin()) late_visits_ = allowed_parallelism();
  for (; wanted != 0 && visits() < most; --wanted) {
    visitor who{};
    pool* const where = pool_for_visit(who);
    if (where == nullptr) return;
    ++visits_of(who);
    held.unlock();
    const bool is_started = start_visit(*where, who);
    held.lock();
    if (is_started) continue;
    --visits_of(who);
    return;
  }
}

// False: there is no memory for it. Those that run serve the arenas.
bool worker_market::start_visit(pool& where, visitor who) noexcept {
  try {
    static_cast<void>(where.submit([who]() noexcept {
      // The thread must stay the same, also if a task forks with heist.
      with(policy::stalling, [who] { visit(who); });
    }));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Under the lock. A visit goes where a thread is free for it: else it would wait for the end of
// another one, which may wait for it. nullptr: there is none.
pool* worker_market::pool_for_visit(visitor& who) noexcept {
  who = visitor::own;
  if (visits_of(who) < pool_size_) return &default_pool();
  who = visitor::second;
  make_second_pool(visits_of(who) + 1);
  return visits_of(who) < second_size_ ? second_ : nullptr;
}

// Under the lock. If more threads are allowed than the default pool has, a second pool gets the
// rest; an older second pool is kept, since its visits may run. The system isn't asked again for
// threads that it has refused.
void worker_market::make_second_pool(unsigned least) noexcept {
  // Fewer threads may be allowed by now than when this visit was.
  const std::size_t visits = std::max<std::size_t>(allowed_parallelism() - 1, pool_size_ + least);
  const auto size =
      static_cast<unsigned>(std::min<std::size_t>(visits - pool_size_, pool_config::max_workers));
  if (second_size_ >= size || size >= refused_size_) return;
  try {
    second_ = new pool({.workers = size, .name = "heist-tbb"});
    second_size_ = size;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heist-tbb: no threads beyond the %u of the default pool: %s\n",
                 pool_size_, e.what());
    refused_size_ = size;
  }
}

// Leaves one arena, if any, and chooses the next; nullptr ends the visit.
work_arena* worker_market::next_arena(work_arena* left, bool had_seat, visitor who) noexcept {
  std::unique_lock held(lock_);
  if (left != nullptr) {
    // Relaxed, both: under the lock.
    left->active.fetch_sub(1, std::memory_order_relaxed);
    if (!had_seat) note_full(*left);
    drop(*left, held);
  }
  for (work_arena* a : arenas_) {
    // Relaxed, both: under the lock.
    if (a->allotted.load(std::memory_order_relaxed) <= a->active.load(std::memory_order_relaxed))
      continue;
    a->active.fetch_add(1, std::memory_order_relaxed);
    ++a->references;
    return a;
  }
  --visits_of(who);
  return nullptr;
}

// Under the lock. M3.
void worker_market::note_full(work_arena& a) noexcept {
  a.is_full.store(true, std::memory_order_seq_cst);
  if (a.has_seat_for_worker())
    a.is_full.store(false, std::memory_order_relaxed);  // relaxed: under the lock
  else
    a.allotted.store(a.active.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void worker_market::visit(visitor who) noexcept {
  worker_market& m = instance();
  participant& me = self();
  // In the middle of something: a visit of this thread is suspended in what its tasks do with
  // heist, or forks are calls, and this runs inside of a program's own call.
  if (!me.is_idle()) {
    const std::lock_guard held(m.lock_);
    --m.visits_of(who);
    m.is_visit_owed_ = m.watch_.begin();
    return;
  }
  // One that heist's worker has called the library from has a seat in an arena of its own.
  const kept_seat kept(me);
  me.is_worker = true;
  const std::uint64_t float_modes = float_word::now();
  bool had_seat = true;
  for (work_arena* a = m.next_arena(nullptr, true, who); a != nullptr;
       a = m.next_arena(a, had_seat, who)) {
    had_seat = a->sit_down(me);
    if (!had_seat) continue;
    visit_arena(me);
    a->stand_up(me, true);  // the others there may be in regions to which none of it belongs
  }
  kept.put_back(me);
  float_word::set(float_modes);  // whatever the tasks ran with
}

void worker_market::advertise_all() noexcept {
  std::vector<work_arena*> all;
  {
    const std::lock_guard held(lock_);
    all = arenas_;
    for (work_arena* a : all) ++a->references;
  }
  for (work_arena* a : all) {
    if (a->has_work()) a->advertise();
    release(*a);
  }
}

bool worker_market::look_for_standstill() noexcept {
  std::unique_lock held(lock_);
  bool stands_still = false;
  for (work_arena* a : arenas_) {
    const std::uint64_t begun = a->tasks_begun();
    if (a->demand != 0 && begun == a->tasks_seen && a->has_work()) stands_still = true;
    a->tasks_seen = begun;
  }
  if (std::exchange(is_visit_owed_, false)) start_visits(held);
  if (!holds_visits_back()) {
    late_visits_ = 0;
    return is_visit_owed_;
  }
  if (!stands_still) return true;
  ++late_visits_;
  allot();
  start_visits(held);
  return true;
}

bool worker_market::is_unused() noexcept {
  const std::lock_guard held(lock_);
  return visits() == 0 && arenas_.empty();
}

bool worker_market::await_end_of_visits() noexcept {
  for (;;) {
    {
      const std::lock_guard held(lock_);
      if (visits() == 0) return arenas_.empty();
    }
    std::this_thread::yield();
  }
}

}  // namespace heist::inline v0::libtbb
