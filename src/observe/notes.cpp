// Which event of the scheduler feeds which observer (runtime/notes.hpp).
#include "runtime/notes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>

#include "heist/detail/measured.hpp"
#include "heist/pool.hpp"
#include "heist/region.hpp"
#include "heist/trace.hpp"
#include "observe/checks/debug_layout.hpp"
#include "observe/checks/stall_watch.hpp"
#include "observe/checks/wait_graph.hpp"
#include "observe/checks/wait_report.hpp"
#include "observe/span/strands.hpp"
#include "observe/span/work_measurement.hpp"
#include "observe/stats/monitor.hpp"
#include "observe/stats/pool_state.hpp"
#include "observe/stats/stats_json.hpp"
#include "observe/stats/stats_signal.hpp"
#include "observe/stats/stats_words.hpp"
#include "observe/trace/tracing.hpp"
#include "platform/process.hpp"
#include "platform/process_mutex.hpp"
#include "runtime/core/deque_sizes.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail::notes {

namespace {

// The one that has pools has the table for debuggers, too.
HEIST_KEPT const void* const found_by_debuggers = debug_layout;

// As HEIST_STATS says: text, or a line of JSON in a file, of which the first one of this process
// takes the place of an older file.
template <class Pool>
void report_stats(const char* title, const Pool& of, std::string (*more)()) noexcept {
  static constinit platform::process_mutex one_at_a_time;
  static constinit unsigned begun_in = 0;  // generation + 1 of the process that has begun the file
  try {
    const stats_settings settings = stats_from_environment();
    const pool_stats stats = of.stats();
    if (settings.file.empty()) {
      std::fputs((std::string(title) + ":\n" + table_and_words(stats) + more()).c_str(), stderr);
      return;
    }
    const std::string line = to_json(stats) + "\n";
    const std::lock_guard hold(one_at_a_time);
    const unsigned here = platform::process_generation() + 1;
    std::FILE* const file = std::fopen(settings.file.c_str(), begun_in == here ? "a" : "w");
    bool is_written = file != nullptr && std::fputs(line.c_str(), file) >= 0;
    if (file != nullptr) is_written = std::fclose(file) == 0 && is_written;
    if (is_written)
      begun_in = here;
    else
      std::fprintf(stderr, "heist: HEIST_STATS: can't write %s: %s\n", settings.file.c_str(),
                   std::strerror(errno));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heist: HEIST_STATS: %s\n", e.what());
  }
}

// The item is called as the scheduler's loop would, with what the checks of waits know of it.
template <class Item>
void run_checked(fiber& me, const rendezvous* settled, Item& item) noexcept {
  me.ends = settled;
  forget_holds(me);
  item.run(item);
  me.ends = nullptr;
}

}  // namespace

// ---- The life of a pool. measurement_for_a_pool: work_span_report.cpp.

void pool_begins(const check_settings& checks) {
  watch_for_stats_signal();
  watch_for_hangs(checks);
  publish_for_monitors();
  // The pool on which a profile measures its costs is none of the program's.
  if (!work_measurement::is_tried_here()) trace_from_environment();
}

void pool_ends(const pool_impl& p, bool prints_stats) noexcept {
  tracing::pool_ends(p);
  if (prints_stats) report_stats(p.config().name.c_str(), p, [] { return std::string(); });
}

void program_ends(const pool& default_pool) noexcept {
  report_stats("default pool", default_pool, &words_about_copies);
}

void worker_is_made(worker& w, work_measurement& by) { w.log = &by.add_log(); }
void fiber_is_destroyed(strand* measured) noexcept { free_strand(measured); }

// ---- Roots.

void root_enters(worker* w, root& r, work_measurement* by) noexcept {
  if (by != nullptr)
    strands::enter(w, *by, r,
                   r.is_awaited ? strands::root_kind::awaited : strands::root_kind::detached);
  if (is_traced()) r.region = tracing::region_here();
}
void root_is_received(worker* w, const root& r, work_measurement& by) noexcept {
  strands::receive(w, by, r);
}
void fork_is_left_behind(job& j, work_measurement& by) noexcept { strands::leave_behind(by, j); }
void fork_is_taken_back(worker& w, const job& j) noexcept { strands::take_from_behind(w, j); }

// ---- What the loop runs.

void run(worker& w, job& j) noexcept {
  if (is_measured(w)) strands::begin_job(w, j);
  if (is_traced()) tracing::begin_job(w);
  run_checked(*w.current, &j.state, j);
  worker& now = self_worker();  // it may be another
  if (is_traced()) tracing::end_job(now);
  if (is_measured(now)) strands::stop(now, strands::of(*now.current.get()));
}

void run(worker& w, root& r) noexcept {
  const bool is_awaited = r.is_awaited;
  if (is_measured(w)) strands::begin_root(w, r);
  if (is_traced()) tracing::begin_root(w, r);
  run_checked(*w.current, is_awaited ? &r.state : nullptr, r);
  worker& now = self_worker();  // r may be gone, and the worker be another
  if (is_traced()) tracing::end_job(now);
  if (is_measured(now)) strands::end_root(now, is_awaited ? &r : nullptr);
}

// ---- Waiting.

bool suspends_observed(worker& w, fiber& f, awaited what) noexcept {
  const bool is_timed = is_measured(w) && strands::stop(w, strands::of(f));
  if (is_timed && what.kind >= wait_kind::sender)
    strands::note_not_covered(
        "channels, latches and the like: who waits for them follows nothing by that");
  if (is_traced()) tracing::suspend(f, what);
  return is_timed;
}
void goes_on(fiber& f) noexcept { strands::go_afresh(self_worker(), strands::of(f)); }
void resumes(worker& w, fiber& f) noexcept { tracing::resume(w, f); }
void look_at_locks(const worker& w, awaited what) noexcept {
  w.lock_checks->look(wait_texts[static_cast<std::size_t>(what.kind)]);
}

void blocks(const void* settles) noexcept {
  if (settles != nullptr) note_thread_runs(settles);
  if (is_traced()) tracing::note(trace::event_kind::block_begin);
}
void has_blocked(const void* settles) noexcept {
  if (is_traced()) tracing::note(trace::event_kind::block_end);
  if (settles != nullptr) note_thread_runs(nullptr);
}

// ---- Looking for work, sleeping and waking.

steal_attempt::steal_attempt(const worker& thief) noexcept {
  if (thief.seen == nullptr && !is_traced()) return;
  batched_ = thief.count.batched.get();
  begin_ = std_clock::now();
}

void steal_attempt::succeeds(worker& thief, worker& victim) const noexcept {
  if (begin_ == std_clock::time_point{}) return;
  const std::uint64_t took = nanoseconds_since(begin_);
  const std::uint64_t depth = deque_size(victim) + 1 + (thief.count.batched.get() - batched_);
  if (is_traced())
    tracing::stolen(thief, victim, static_cast<double>(took), static_cast<std::uint32_t>(depth));
  if (thief.seen == nullptr) return;
  histogram_cells& seen = *thief.seen;
  seen.steal_ns.add(took);
  seen.steal_depth.add(depth);
  const unsigned n = thief.pool.slots();
  const unsigned ahead = (victim.index + n - thief.index) % n;
  seen.steal_places.add(std::min(ahead, n - ahead));
  const steal_distance d = thief.pool.distance(thief.index, victim.index);
  seen.steals_by_distance[static_cast<std::size_t>(d)].add();
}

void finds_nothing(worker& w, bool will_sleep) noexcept {
  if (w.seen != nullptr && (will_sleep || !w.seen->has_looked())) w.seen->set_reason(why_idle(w));
  if (is_traced()) tracing::note_idle(w, will_sleep);
}
void idle_spell_ends(worker& w) noexcept { tracing::end_idle(w); }

void exposes_traced(worker& owner) noexcept {
  tracing::note(trace::event_kind::expose, static_cast<std::uint32_t>(deque_size(owner)));
}
void wakes_traced(pool_impl& p) noexcept { tracing::begin_wake(p); }
void sleeps() noexcept {
  if (is_traced()) tracing::note(trace::event_kind::park);
}
void is_woken(pool_impl& p) noexcept {
  if (is_traced()) tracing::woken(p);
}
void naps() noexcept {
  if (is_traced()) tracing::note(trace::event_kind::park, 1);
}
void has_napped() noexcept {
  if (is_traced()) tracing::note(trace::event_kind::wake, trace::no_lane);
}
void thread_leaves() noexcept {
  if (is_traced()) tracing::note(trace::event_kind::leave);
}

// ---- Of measured pools. join_measured: strands.cpp.

pushed_kind forks(worker& w, job& j, position h) noexcept { return strands::before_push(w, j, h); }
void has_forked(worker& w, pushed_kind kind, position h, bool pushed) noexcept {
  strands::after_push(w, kind, h, pushed);
}
bool ends(worker& w, const job& j) noexcept { return strands::end_job(w, j); }
void spawner_is_stolen(worker& w, fiber& spawner) noexcept { strands::resume_stolen(w, spawner); }
void child_returns(worker& w, fiber& spawner, const scope_state* scope) noexcept {
  strands::return_to_spawner(w, spawner, scope);
}
void stolen_child_ends(worker& w, const scope_state* scope) noexcept {
  strands::end_stolen_child(w, scope);
}
void scope_ends(worker& w, const scope_state* scope) noexcept { strands::end_scope(w, scope); }

}  // namespace heist::inline v0::detail::notes

// ---- What the program notes itself: regions and counters (heist/region.hpp).

namespace heist::inline v0::detail {

constinit std::atomic<unsigned> observers{0};

unsigned begin_region(const char* name) noexcept {
  const unsigned by = observers.load(std::memory_order_relaxed);
  if ((by & observed_for_work) != 0) strands::begin_region(name);
  // Above the two bits of the observers: the region around it.
  return (by & observed_for_trace) == 0 ? by : by | tracing::begin_region(name) << 2U;
}

void end_region(unsigned observed_by) noexcept {
  if ((observed_by & observed_for_work) != 0) strands::end_region();
  if ((observed_by & observed_for_trace) != 0) tracing::end_region(observed_by >> 2U);
}

void note_counter(const char* name, double value) noexcept {
  if (notes::is_traced()) tracing::count(name, value);
}

}  // namespace heist::inline v0::detail
