// What happens in the scheduler, for those who observe it: the door between the two.
//
// The scheduler notes here what it does, and knows nothing of who listens. src/observe/notes.cpp
// hands each event on to the observers that want it: traces, work and span, the checks of waits,
// histograms. A new observer needs this file and that one, and no change in the scheduler.
//
// Cost. While nobody observes, a note is a load and a branch, on slow paths only; those about
// measured pools are to be called for such pools alone (is_measured).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "heist/detail/hot_path.hpp"
#include "heist/detail/observers.hpp"
#include "heist/detail/race.hpp"
#include "heist/detail/refusable_wait.hpp"
#include "heist/detail/rendezvous.hpp"
#include "heist/detail/wait_checks.hpp"
#include "heist/detail/waiting.hpp"

namespace heist::inline v0 {
class pool;
}  // namespace heist::inline v0

namespace heist::inline v0::detail {

struct check_settings;
struct fiber;
struct job;
struct root;
struct strand;
struct worker;
class pool_impl;
class scope_state;
class work_measurement;

// ---- Waits (wait_graph.hpp).

// A wait that can't be refused, known to the graph while this object lives. If the caller is known
// to wait already (refusable_wait) it does nothing.
class checked_wait {
 public:
  checked_wait(const rendezvous& state, awaited what) noexcept {
    if (waits_are_checked()) [[unlikely]]
      begin(state, what);
  }
  ~checked_wait() {
    if (record_) [[unlikely]]
      end();
  }
  checked_wait(const checked_wait&) = delete;
  checked_wait& operator=(const checked_wait&) = delete;

 private:
  void begin(const rendezvous& state, awaited what) noexcept;
  void end() noexcept;

  std::optional<wait_record> record_;
};

namespace notes {

// A trace is recorded. Relaxed: a hint, see observers.
[[nodiscard]] inline bool is_traced() noexcept {
  return (observers.load(std::memory_order_relaxed) & observed_for_trace) != 0;
}

// ---- The life of a pool.

// Before its threads start. Throws usage_error for a HEIST_ variable with a bad value.
void pool_begins(const check_settings& checks);
// When its threads have ended.
void pool_ends(const pool_impl& p, bool prints_stats) noexcept;
// The default pool's, when the program ends.
void program_ends(const pool& default_pool) noexcept;
// What measures the pools that are made now; nullptr: nobody. Throws usage_error for a bad
// HEIST_PROFILE.
[[nodiscard]] std::shared_ptr<work_measurement> measurement_for_a_pool();
// A worker of a measured pool is made. Throws std::bad_alloc.
void worker_is_made(worker& w, work_measurement& by);
[[gnu::cold]] void fiber_is_destroyed(strand* measured) noexcept;

// ---- Roots at a pool's entry. `by` measures that pool; nullptr: nobody does.

void root_enters(worker* w, root& r, work_measurement* by) noexcept;
// Its caller has waited for it.
[[gnu::cold]] void root_is_received(worker* w, const root& r, work_measurement& by) noexcept;
// The fork goes to the injection queue, as its spawner waits.
[[gnu::cold]] void fork_is_left_behind(job& j, work_measurement& by) noexcept;

// ---- What the scheduler's loop runs, where somebody observes it: j.run(j), r.run(r). A root that
// nobody awaits is gone afterwards, and the worker may be another.

[[gnu::cold]] void run(worker& w, job& j) noexcept;
[[gnu::cold]] void run(worker& w, root& r) noexcept;

// ---- Waiting and going on.

// The running fiber suspends. True: its time is measured, and goes_on() is to be called when it
// runs again.
[[gnu::cold]] bool suspends_observed(worker& w, fiber& f, awaited what) noexcept;
inline bool suspends(worker& w, fiber& f, awaited what, bool measured) noexcept {
  return (measured || is_traced()) && suspends_observed(w, f, what);
}
[[gnu::cold]] void goes_on(fiber& f) noexcept;
// A fiber whose wait was traced is about to run on that worker.
[[gnu::cold]] void resumes(worker& w, fiber& f) noexcept;
// Under HEIST_CHECK=locks: a worker is about to wait.
[[gnu::cold]] void look_at_locks(const worker& w, awaited what) noexcept;

// The calling thread runs what blocks, and settles that state when it has ended; nullptr: none.
void blocks(const void* settles) noexcept;
void has_blocked(const void* settles) noexcept;

// ---- Looking for work, sleeping and waking.

// One attempt of a worker to steal.
class steal_attempt {
 public:
  explicit steal_attempt(const worker& thief) noexcept;
  // It has succeeded, and the thief's counters say so.
  void succeeds(worker& thief, worker& victim) const noexcept;

 private:
  std::chrono::steady_clock::time_point begin_{};
  std::uint64_t batched_ = 0;
};

// Between two searches, and before it sleeps.
void finds_nothing(worker& w, bool will_sleep) noexcept;
[[gnu::cold]] void idle_spell_ends(worker& w) noexcept;

[[gnu::cold]] void exposes_traced(worker& owner) noexcept;
inline void exposes(worker& owner) noexcept {
  if (is_traced()) [[unlikely]]
    exposes_traced(owner);
}
[[gnu::cold]] void wakes_traced(pool_impl& p) noexcept;
inline void wakes(pool_impl& p) noexcept {
  if (is_traced()) [[unlikely]]
    wakes_traced(p);
}
void sleeps() noexcept;
void is_woken(pool_impl& p) noexcept;
void naps() noexcept;
void has_napped() noexcept;
void thread_leaves() noexcept;

// ---- Of measured pools: their forks take slow paths (ADR 13).

// Before the push of j at position h, and after it has been refused or not.
enum class pushed_kind : std::uint8_t { fork, spawner };
[[gnu::cold]] [[nodiscard]] pushed_kind forks(worker& w, job& j, position h) noexcept;
[[gnu::cold]] void has_forked(worker& w, pushed_kind kind, position h, bool pushed) noexcept;
// The join of the fork at position h, whole (join_slow).
job* join_measured(worker& w, position h, bool throws);
// A fork that was left behind is run by its own join after all.
[[gnu::cold]] void fork_is_taken_back(worker& w, const job& j) noexcept;
// True: the job's own join runs it, and there is no thief.
[[gnu::cold]] [[nodiscard]] bool ends(worker& w, const job& j) noexcept;

// To be called on the fiber of the spawner, or the child.
[[gnu::cold]] void spawner_is_stolen(worker& w, fiber& spawner) noexcept;
[[gnu::cold]] void child_returns(worker& w, fiber& spawner, const scope_state* scope) noexcept;
[[gnu::cold]] void stolen_child_ends(worker& w, const scope_state* scope) noexcept;
[[gnu::cold]] void scope_ends(worker& w, const scope_state* scope) noexcept;

// ---- The race detector (heist/detail/race.hpp), where the program is linked with it: a load and a
// branch in others. A branch is run between the two calls, on the caller's stack, and joined by the
// owner of that key. `from`: the place of the construct.
#if defined(__linux__)
#pragma weak heist_v0_race_begin_of
#pragma weak heist_v0_race_end
#pragma weak heist_v0_race_belongs
#pragma weak heist_v0_race_join_of
#pragma weak heist_v0_race_node
#pragma weak heist_v0_race_precedes
#pragma weak heist_v0_race_waits
#pragma weak heist_v0_race_order
[[nodiscard]] inline bool looks_for_races() noexcept { return &heist_v0_race_end != nullptr; }

// In a function that runs under the detector alone.
class branch {
 public:
  branch(const void* key, race::kind kind, const void* from) noexcept {
    if (looks_for_races()) heist_v0_race_begin_of(key, static_cast<unsigned>(kind), from);
  }
  ~branch() {
    if (looks_for_races()) heist_v0_race_end();
  }
  branch(const branch&) = delete;
  branch& operator=(const branch&) = delete;
};
// The one that joins `owner` joins what has that key, too.
inline void branch_belongs(const void* key, const void* owner) noexcept {
  if (looks_for_races()) heist_v0_race_belongs(key, owner);
}
inline void joins(const void* key) noexcept {
  if (looks_for_races()) [[unlikely]]
    heist_v0_race_join_of(key);
}
// An object by which branches are ordered begins at this address.
inline void is_made(const void* object) noexcept {
  if (looks_for_races()) heist_v0_race_order(object, static_cast<unsigned>(race::message::made));
}
// The calling thread, which runs everything itself, waits.
inline void waits_alone(awaited what) noexcept {
  if (looks_for_races() && !what.is_timed) heist_v0_race_waits();
}
// A function of a graph: each runs after its predecessors, and one of these orders. `run` is joined
// as a key is.
template <class Call, class Successors>
void node_runs(const void* run, std::uint32_t index, const Call& call,
               const Successors& successors) {
  heist_v0_race_node(run, index, nullptr);
  call();
  heist_v0_race_end();
  successors([=](std::uint32_t after) { heist_v0_race_precedes(run, index, after); });
}
#else  // there is no detector
[[nodiscard]] constexpr bool looks_for_races() noexcept { return false; }
struct branch {
  branch(const void*, race::kind, const void*) noexcept {}
};
inline void branch_belongs(const void*, const void*) noexcept {}
inline void joins(const void*) noexcept {}
inline void is_made(const void*) noexcept {}
inline void waits_alone(awaited) noexcept {}
template <class Call, class Successors>
void node_runs(const void*, std::uint32_t, const Call& call, const Successors&) {
  call();
}
#endif

}  // namespace notes

}  // namespace heist::inline v0::detail
