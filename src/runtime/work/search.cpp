#include "runtime/work/search.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bitset>
#include <chrono>
#include <thread>

#include "heist/detail/hot_path.hpp"
#include "platform/thread.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/turns.hpp"
#include "runtime/core/victims.hpp"
#include "runtime/core/worker.hpp"
#include "runtime/fibers/free_fibers.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/fibers/switch.hpp"
#include "runtime/notes.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr unsigned attempts_per_round = 4;  // steals, at most one for each victim
// A search tries all victims in turn every so many rounds. Random choices find in the end what
// there is to steal; this bounds how long that takes, whatever the choice of victims and the state
// of the generator.
constexpr unsigned rounds_per_sweep = 16;

// `has_more`: the victim has more public jobs than the one that was taken.
job* steal_from_split(worker& w, worker& victim, bool& has_more) noexcept {
  const deque_view deque(victim);
  if (!deque) return nullptr;
  const control::steal_answer answer = deque->steal();
  if (answer.result == deque::steal_result::taken) {
    w.count.steals_by_size[0].add();
    has_more = deque->has_public();
    return reinterpret_cast<job*>(answer.item);
  }
  if (answer.result == deque::steal_result::empty) {
    if (w.last_asked == victim.index && !deque->is_asked()) w.backoff.note_useless_request();
    w.last_asked = victim.index;
    deque->ask();
  }
  return nullptr;
}

job* steal_from_forks(worker& w, worker& victim) noexcept {
  int priority = 0;
  fork_deque::answer answer = victim.forks->steal(*w.loot, priority);
  if (answer.result == deque::steal_result::empty) answer = victim.loot->steal(*w.loot, priority);
  if (answer.result != deque::steal_result::taken) {
    if (answer.kept != 0) w.count.failed_batch_steals.add();
    return nullptr;
  }
  w.current.get()->priority = priority;  // what it forks is as urgent
  w.count.steals_by_size[counters::size_class(answer.kept + 1)].add();
  if (answer.kept != 0) {
    w.count.batched.add(answer.kept);
    if (w.counts_all) w.count.puts.add(answer.kept);
    w.pool.wake_for_pushed(w);  // while the items were moved, no other worker could see them
  }
  return answer.item;
}

job* try_steal(worker& w, worker& victim) noexcept {
  if (!may_steal_from(w, victim)) return nullptr;
  const notes::steal_attempt attempt(w);
  bool has_more = false;
  job* const taken =
      victim.uses_split() ? steal_from_split(w, victim, has_more) : steal_from_forks(w, victim);
  if (taken == nullptr) {
    w.count.failed_steals.add();
    return nullptr;
  }
  w.count.steals.add();
  attempt.succeeds(w, victim);
  // Relaxed: as worker::serves says.
  w.serves.store(victim.serves.load(std::memory_order_relaxed), std::memory_order_relaxed);
  if (victim.counts_all && victim.uses_split()) victim.count.lost.add_shared();
  w.last_victim = victim.index;
  // A worker that sees more work than it takes wakes another one.
  if (has_more) w.pool.wake_another(w);
  return taken;
}

// What a worker does after an attempt that failed, under any yield but the paced one.
void yield_after_attempt(worker& w, worker& other) noexcept {
  switch (w.pool.config().yield) {
    case yield_kind::paced:
    case yield_kind::none:
      return;
    case yield_kind::to_any:
      sched_yield();
      break;
    case yield_kind::to_random:
      w.pool.yield_to(w, other.index, 1);
      break;
    case yield_kind::to_all:
      w.pool.yield_to(w, 0, w.pool.size());
      break;
  }
  w.count.yields.add();
}

job* attempt(worker& w, worker& victim) noexcept {
  job* const j = try_steal(w, victim);
  if (j == nullptr) yield_after_attempt(w, victim);
  return j;
}

job* steal_from_any(worker& w, unsigned round) noexcept {
  const unsigned n = w.pool.slots();
  const bool stays = w.pool.places() > 1 && round < rounds_at_own_place;
  for (unsigned i = 1; i < n; ++i) {
    const unsigned slot = (w.index + i) % n;
    if (!w.pool.is_in_use(slot) || (stays && w.pool.at(slot).place != w.place)) continue;
    if (job* const j = attempt(w, w.pool.at(slot))) return j;
  }
  return nullptr;
}

}  // namespace

bool may_steal_from(const worker& w, const worker& victim) noexcept {
  // Relaxed: as worker::serves says.
  return !takes_own_only(w) || victim.serves.load(std::memory_order_relaxed) == w.call.get();
}

job* steal_round(worker& w, unsigned round) noexcept {
  if (w.pool.config().deque == deque_kind::shared_queue) {
    // The only worker of a pool also steals from itself: its suspended fibers may have pushed jobs.
    job* const j = try_steal(w, w);
    if (j == nullptr && w.pool.size() > 1) yield_after_attempt(w, choose_victim(w, 0, round));
    return j;
  }
  if (w.pool.slots() == 1) return nullptr;
  if (round % rounds_per_sweep == rounds_per_sweep - 1) return steal_from_any(w, round);
  if (w.pool.has_seated_callers())
    if (worker* const caller = w.pool.seated_caller(next_random(w) >> 16);
        caller != nullptr && caller != &w)
      if (job* const j = attempt(w, *caller)) return j;
  const unsigned others = w.index < w.pool.size() ? w.pool.size() - 1 : w.pool.size();
  const unsigned attempts = others < attempts_per_round ? others : attempts_per_round;
  for (unsigned i = 0; i < attempts; ++i)
    if (job* const j = attempt(w, choose_victim(w, i, round))) return j;
  return nullptr;
}

}  // namespace heist::inline v0::detail

// ---- Yields to other workers, between attempts to steal.
//
// Arora, Blumofe and Plaxton ask the kernel not to run the caller again before a random process, or
// every other one, has run. Linux has no such call: sched_yield() names nobody. These yields are
// approximations. The caller gives its processor up, looks at the processor time that the kernel
// has charged to the others, and gives it up again until that has grown. Another thread that runs
// at the time satisfies it at once, as in the paper; one that sleeps has nothing to run and is not
// waited for. Unlike in the paper the caller itself is scheduled now and then, to look; after a few
// looks it sleeps in between, so that it takes no time from those it waits for. And it waits at
// most `longest_wait`, since a worker may be blocked in the kernel for ever.
//
// Source: Arora, Blumofe and Plaxton, 1998, section 4: yield to random, yield to all.

namespace heist::inline v0::detail {

namespace {

constexpr auto longest_wait = std::chrono::milliseconds(10);
constexpr auto pause_between_looks = std::chrono::microseconds(50);
constexpr unsigned looks_without_pause = 4;
constexpr unsigned most_at_once = 32;  // workers that are waited for together

bool sleeps(const worker& w) noexcept {
  // Relaxed: the one that goes to sleep just now is waited for a little longer.
  return w.doing.load(std::memory_order_relaxed) == worker_state::parked;
}

}  // namespace

void pool_impl::yield_to(worker& w, unsigned first, unsigned count) noexcept {
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  for (unsigned from = first; from < first + count; from += most_at_once) {
    const unsigned n = std::min(most_at_once, first + count - from);
    std::int64_t before[most_at_once];
    std::bitset<most_at_once> missing;
    for (unsigned i = 0; i < n; ++i) {
      if (from + i == w.index) continue;
      before[i] = platform::processor_time_of(resident(from + i).tid);
      missing.set(i);
    }
    for (unsigned look = 0; missing.any(); ++look) {
      sched_yield();
      if (look >= looks_without_pause) std::this_thread::sleep_for(pause_between_looks);
      for (unsigned i = 0; i < n; ++i)
        if (missing[i] && (sleeps(resident(from + i)) ||
                           platform::processor_time_of(resident(from + i).tid) != before[i]))
          missing.reset(i);
      if (stopping() || std::chrono::steady_clock::now() >= end) return;
    }
  }
}

}  // namespace heist::inline v0::detail

// ---- A function that gives its turn to an urgent root (T3 in turns.hpp).

namespace heist::inline v0::detail {

namespace {

// Under a policy of its own a function keeps its thread, or its forks are calls. A measured pool
// times what runs between forks and joins.
bool may_give_turn(const worker& w) noexcept {
  const fiber& me = *w.current;
  return me.stalls == 0 && !me.is_serial && &me != &w.native && !is_measured(w);
}

// The running fiber goes to the end of those that can continue, and the worker to the entry.
void give_turn(worker& w) noexcept {
  if (!may_give_turn(w)) return;
  fiber* const next = take_fiber(w);
  if (next == nullptr) return;
  const position h = w.deque->depth();
  // As in a wait: what the fiber has forked and not joined is for others to run.
  w.pool.leave_behind(w, leave_spawners(w, h, w.pool.take_forks(w)));
  w.serves_entry = true;
  leave_ready(w, *next, h, w.pool.config().join == join_kind::stalling ? &w : nullptr);
}

}  // namespace

void look_at_entry() noexcept {
  worker* const w = this_worker();
  if (w == nullptr || w->alone) return;
  // The request was seen; partner: the fence in wake_for_injection(), which comes after the push of
  // the root and before the request.
  std::atomic_thread_fence(std::memory_order_acquire);
  if (w->pool.injection().urgent() == 0) return;
  // T4: while others run, a guest would give its turn to itself.
  if (!takes_own_only(*w) || !w->pool.own_thread_runs()) give_turn(*w);
}

}  // namespace heist::inline v0::detail
