// The strands of a measured pool (work_measurement.hpp): what is timed, and which path leads to it.
//
// A strand is what a fiber runs between two events: a fork, a join, a spawn, a wait, an end. Each
// fiber of a measured pool has a record of the strand that runs on it, with the path that leads to
// it: the longest chain of strands, from the start of the program, that had to end before. The path
// grows by the strand's time when the strand ends. At a fork both functions begin with the path of
// the fork, and what follows the join has the later one of their ends. So the figures don't depend
// on who ran what, or when: only the times of the strands are measured.
//
// Every event reaches the library, although forks and joins are inlined: a measured pool has a
// deque of another kind than the split one, so that every push and pop takes the slow path
// (ADR 13). A function that was not stolen is run by its join (join.cpp), because its end is an
// event, which the inlined code doesn't report.
//
// Who writes what. A record belongs to its fiber. An open fork belongs to the fiber that forked; a
// thief reads its `forked` and `region` before it begins the job, and writes `second` before it
// settles the job's state, which orders both for the owner. Its address lies in job::fork: nobody
// else uses that word between the push and the end of the job, except the injection queue, before
// which the address is put aside (leave_behind).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "heist/detail/hot_path.hpp"
#include "heist/detail/job.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/scope_state.hpp"
#include "observe/span/dag_record.hpp"
#include "observe/span/span_path.hpp"
#include "observe/span/work_measurement.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

struct open_fork {
  position at = 0;
  region_number region = region_table::none;
  span_path forked;  // at the fork
  span_path first;   // at the end of the function that the forking fiber ran
  span_path second;  // at the end of the other one
  // With a DAG: the thread that forked, where it was, and the threads of the two functions.
  dag_thread* parent = nullptr;
  dag_thread::mark mark{};
  std::unique_ptr<dag_thread> first_thread, second_thread;
};

struct strand {
  span_path now;            // up to `since`, if it runs
  std::uint64_t since = 0;  // a time stamp
  bool runs = false;
  bool is_call = false;  // a child of a scope, whose spawner nobody can steal
  region_number region = region_table::none;
  open_fork* ends = nullptr;  // the stolen fork that this fiber runs
  // Jobs that joins run, each copied out of its slot: the rest of one may be stolen as a spawner,
  // and its slot is another's then.
  std::vector<std::unique_ptr<job>> copies;
  std::size_t copied = 0;
  const job* joined = nullptr;  // the one that its own join runs
  std::size_t open = 0;         // forks, of those below
  std::vector<std::unique_ptr<open_fork>> forks;
  struct open_region {
    region_number region, around;
    std::uint64_t span, burdened;
  };
  std::vector<open_region> regions;
  // With a DAG: what it does now, and the thread that it began itself and that nobody owns yet.
  dag_thread* record = nullptr;
  std::unique_ptr<dag_thread> begun;
  dag_thread* detached = nullptr;     // a root's that nobody waits for
  dag_thread* small_child = nullptr;  // the last one that it spawned in small_scope, if small
  const scope_state* small_scope = nullptr;
};

// All functions below that take a worker are for those of measured pools (is_measured), and must be
// called by its thread; they may allocate, and end the program where there is no memory.
void free_strand(strand* s) noexcept;

namespace strands {

[[nodiscard]] strand& of(fiber& f) noexcept;

// The running strand ends; what the caller does next is no work. False: none runs.
bool stop(worker& w, strand& s) noexcept;
// A strand begins.
void go(worker& w, strand& s) noexcept;
// The same on a thread that has looked for work since its last strand.
void go_afresh(worker& w, strand& s) noexcept;

// Forgets the newest fork, whose second function the same flow will run now: that may fork in the
// same place.
class joining_fork {
 public:
  joining_fork(strand& s, open_fork& f) noexcept;
  // It has run.
  void end(worker& w, strand& s) const noexcept;

 private:
  dag_thread* const parent_;
  const dag_thread::mark mark_;
  dag_thread* first_ = nullptr;
};

// ---- Forks.

// Before the push of j at position h, and after it has been refused or not.
using notes::pushed_kind;
[[nodiscard]] pushed_kind before_push(worker& w, job& j, position h) noexcept;
void after_push(worker& w, pushed_kind kind, position h, bool pushed) noexcept;
// The fork whose entry lies at position h; nullptr if it was refused. Forks above it are forgotten:
// their entries have been joined in some other way.
[[nodiscard]] open_fork* find(strand& s, position h) noexcept;
// Runs a job that its fiber has taken back, on that fiber, to its end; forgets the fork.
// Returns where its result is.
job& run_joined(const job& j, open_fork& f) noexcept;
// The thief has ended it.
void receive(worker& w, open_fork& f) noexcept;
// Forgets the newest fork, whose second function won't run.
void forget(strand& s) noexcept;

// ---- What the scheduler's loop runs.

void begin_job(worker& w, job& j) noexcept;
// To be called on the fiber of its spawner.
void resume_stolen(worker& w, fiber& spawner) noexcept;
// True: the job's own join runs it, and there is no thief.
bool end_job(worker& w, const job& j) noexcept;
void begin_root(worker& w, const root& r) noexcept;
void end_root(worker& w, const root* r) noexcept;  // nullptr: nobody waits for it
void leave_behind(work_measurement& m, job& j);
void take_from_behind(worker& w, const job& j) noexcept;  // its own join runs it after all

// ---- Roots, for the one that hands them over.

enum class root_kind : std::uint8_t { awaited, detached };
void enter(worker* w, work_measurement& m, const root& r, root_kind kind);
void receive(worker* w, work_measurement& m, const root& r);

// ---- Task graphs and pipelines: steps that follow others in an order of their own, whichever
// fiber runs them. `key` is an address that stands for what a step follows, as the last user of a
// stage, or its predecessors in a graph. All these may be called anywhere; in a pool that isn't
// measured, and on a thread outside, they do nothing.

[[nodiscard]] bool measures_here() noexcept;
// What the calling fiber has done so far comes before the steps with that key.
void put_before(const void* key) noexcept;
// A step begins, which follows what was put before that key, and nothing else.
void begin_step(const void* key) noexcept;
// It also follows what was put before another one.
void follow_step(const void* key) noexcept;
void end_step() noexcept;
// Nobody needs the key any more.
void forget_step(const void* key) noexcept;
// The run's figures leave something out, or its DAG does if one is kept; `what` is a literal.
void note_not_covered(const char* what) noexcept;
void note_not_in_dag(const char* what) noexcept;

// ---- Regions, of any thread.

void begin_region(const char* name) noexcept;
void end_region() noexcept;

// ---- Scopes. The functions about a child are called on the child's fiber.

void begin_child(worker& w) noexcept;
void return_to_spawner(worker& w, fiber& spawner, const scope_state* scope) noexcept;
void end_stolen_child(worker& w, const scope_state* scope) noexcept;
void end_scope(worker& w, const scope_state* scope) noexcept;
// Runs a child that lies on the deque and was taken back: run(). It began where it was pushed.
template <class Run>
void run_pushed_child(open_fork& f, const scope_state* scope, Run&& run) noexcept {
  strand& s = of(*self_worker().current.get());
  const span_path owners = std::exchange(s.now, f.forked);
  const region_number region = std::exchange(s.region, f.region);
  const joining_fork joining(s, f);
  s.now.burdened += self_worker().log->of.steal_ticks;
  go(self_worker(), s);
  run();
  worker& w = self_worker();
  stop(w, s);
  w.log->of.scopes.follow(scope, s.now);
  joining.end(w, s);
  s.now = owners;
  s.region = region;
}
// A thief has run it.
void receive_pushed(worker& w, open_fork& f, const scope_state* scope) noexcept;

}  // namespace strands

}  // namespace heist::inline v0::detail
