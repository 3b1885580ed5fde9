#include "runtime/work/search.hpp"

#include <sched.h>

#include "runtime/core/pool_impl.hpp"
#include "runtime/core/victims.hpp"
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

job* steal_from_any(worker& w) noexcept {
  const unsigned n = w.pool.slots();
  for (unsigned i = 1; i < n; ++i) {
    const unsigned slot = (w.index + i) % n;
    if (!w.pool.is_in_use(slot)) continue;
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
    if (j == nullptr && w.pool.size() > 1) yield_after_attempt(w, choose_victim(w, 0));
    return j;
  }
  if (w.pool.slots() == 1) return nullptr;
  if (round % rounds_per_sweep == rounds_per_sweep - 1) return steal_from_any(w);
  if (w.pool.has_seated_callers())
    if (worker* const caller = w.pool.seated_caller(next_random(w) >> 16);
        caller != nullptr && caller != &w)
      if (job* const j = attempt(w, *caller)) return j;
  const unsigned others = w.index < w.pool.size() ? w.pool.size() - 1 : w.pool.size();
  const unsigned attempts = others < attempts_per_round ? others : attempts_per_round;
  for (unsigned i = 0; i < attempts; ++i)
    if (job* const j = attempt(w, choose_victim(w, i))) return j;
  return nullptr;
}

}  // namespace heist::inline v0::detail
