#include "observe/trace/tracing.hpp"

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include "heist/detail/root.hpp"
#include "heist/error.hpp"
#include "observe/checks/wait_graph.hpp"
#include "observe/stats/pool_state.hpp"
#include "observe/stats/stats_json.hpp"
#include "observe/trace/trace_record.hpp"
#include "platform/process.hpp"
#include "platform/process_mutex.hpp"
#include "platform/thread.hpp"
#include "runtime/core/fiber.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"
#include "trace/write.hpp"

namespace heist::inline v0::detail {

namespace {

using trace::event_kind;

static_assert(std::size(trace::awaited_names) ==
              static_cast<std::size_t>(wait_kind::task_group) + 1);
constexpr std::size_t max_names = 65535;  // an observed region keeps the one around it in 30 bits
constexpr const char* other_names = "(other names)";
constexpr double usage_every_ns = 1e6;  // asking takes six microseconds

// Of the calling thread. A trace for which it got no lane has another number than its writer.
struct thread_part {
  trace_writer* own = nullptr;
  std::uint64_t trace_number = 0;
  std::uint32_t region = 0;  // on a thread outside of any pool
};
constinit thread_local thread_part mine;

// Never destroyed: threads may record until the process ends.
struct shared_state {
  // Of all names that were ever seen, since a region may be open from one trace to the next. Of a
  // deque the elements stay where they are.
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::deque<std::string> names{""};
  std::unique_ptr<trace_record> record;
};

constinit platform::process_mutex guard;
constinit shared_state* state = nullptr;                 // guarded by the lock
constinit std::atomic<std::uint64_t> current_number{0};  // of the trace; never used again
constinit std::atomic<unsigned> recording_process{0};    // the generation of the one that records
constinit std::atomic<std::uint32_t> waits{0};           // gives each wait a number

shared_state& locked_state() {
  if (state == nullptr) state = new shared_state;
  return *state;
}

// The trace of that number, if it is being recorded still; under the lock.
trace_record* record_of(std::uint64_t number) noexcept {
  if (current_number.load(std::memory_order_relaxed) != number || state == nullptr) return nullptr;
  trace_record* const r = state->record.get();
  return r != nullptr && r->process == platform::process_generation() && !r->is_full ? r : nullptr;
}

void stop_for_lack_of_room(trace_record& r) noexcept {
  r.is_full = true;
  observers.fetch_and(~observed_for_trace, std::memory_order_relaxed);
  std::fprintf(stderr, "heist: the trace %s ends here, and the program goes on: %s\n",
               r.path.empty() ? "in memory" : r.path.c_str(), std::strerror(errno));
}

// Gives the thread a lane of the trace that is being recorded.
void join_trace(const worker* w, std::uint64_t number) noexcept {
  mine.trace_number = number;
  const std::lock_guard hold(guard);
  trace_record* const r = record_of(number);
  if (r == nullptr) return;
  try {
    if (mine.own == nullptr) mine.own = new trace_writer;
    if (const std::uint32_t lane = r->lane_for(w); lane != trace::no_lane)
      mine.own->begin(*r, number, lane);
  } catch (const std::bad_alloc&) {
    return;  // without a lane
  }
}

// The writer of the calling thread for the trace of now; nullptr: it has none.
trace_writer* writer_here(worker* w) noexcept {
  // Acquire: partner is the release in start(); carries whom the trace is of, and the process.
  const std::uint64_t number = current_number.load(std::memory_order_acquire);
  if (recording_process.load(std::memory_order_relaxed) != platform::process_generation())
      [[unlikely]] {
    tracing::leave_trace_of_parent();
    return nullptr;
  }
  if (mine.trace_number != number) join_trace(w, number);
  trace_writer* const own = mine.own;
  if (own == nullptr || own->trace_number != number) return nullptr;
  // Relaxed: a name for others.
  if (w != nullptr && w->lane.load(std::memory_order_relaxed) != own->lane)
    w->lane.store(own->lane, std::memory_order_relaxed);
  return own;
}

// False: the trace has ended, or has no room.
[[gnu::noinline]] bool take_chunk(trace_writer& w) noexcept {
  std::shared_ptr<trace_store> store;
  {
    const std::lock_guard hold(guard);
    trace_record* const r = record_of(w.trace_number);
    if (r == nullptr) return false;
    const bool has_place = w.take_place(*r);
    if (has_place && r->store->is_file())
      store = r->store;
    else if (has_place && w.open_chunk(*r->store))
      return true;
    else
      return stop_for_lack_of_room(*r), false;
  }
  if (w.open_chunk(*store)) return true;
  const std::lock_guard hold(guard);
  if (trace_record* const r = record_of(w.trace_number)) stop_for_lack_of_room(*r);
  return false;
}

// Relaxed, as `observers`: written before a trace begins.
constinit std::atomic<const pool_impl*> only_pool{nullptr};

bool is_left_out(const worker* w) noexcept {
  const pool_impl* const only = only_pool.load(std::memory_order_relaxed);
  return only != nullptr && w != nullptr && &w->pool != only;
}

std::uint32_t new_number(known_name& place, const char* name) noexcept {
  const std::lock_guard hold(guard);
  if (state == nullptr) return 0;
  shared_state& s = *state;
  try {
    const std::string text = s.names.size() < max_names ? name : other_names;
    const auto [at, is_new] =
        s.numbers.try_emplace(text, static_cast<std::uint32_t>(s.names.size()));
    if (is_new) {
      s.names.push_back(text);
      if (trace_record* const r = record_of(current_number.load(std::memory_order_relaxed)))
        if (!r->store->add_text(trace::head_of_name(at->second), text)) stop_for_lack_of_room(*r);
    }
    place = {name, &s.names[at->second], at->second};
    return at->second;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

std::uint32_t number_of_name(trace_writer& r, const char* name) noexcept {
  // Short names in a row lie closer together than eight bytes: all bits count (Knuth's hash).
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  static_assert(std::tuple_size_v<decltype(r.names)> == 64);
  known_name& place = r.names[reinterpret_cast<std::uintptr_t>(name) * golden >> 58U];
  // The same address can hold another name by now.
  if (place.at == name && *place.text == name) return place.number;
  return new_number(place, name);
}

// How many stacks the pool's functions have, from time to time and by one of its workers.
void add_stacks(trace_writer& r, pool_impl& p, std::uint32_t name, std::uint64_t now) noexcept {
  // Relaxed: of several workers at one moment the last one's number counts.
  if (now < p.traced_stacks_from.load(std::memory_order_relaxed)) return;
  p.traced_stacks_from.store(r.usage_from, std::memory_order_relaxed);
  if (r.has_room() || take_chunk(r))
    r.add(trace::pack(now, event_kind::counter, name, 0, 0,
                      static_cast<double>(p.stack_use().in_use())));
}

// Returns the time of what it adds. The name comes before the time, as everywhere: a name that is
// new after the trace's end isn't in the trace, and the reader leaves out the events of that time.
std::uint64_t add_usage(trace_writer& r) noexcept {
  worker* const w = this_worker();
  const std::uint32_t stacks = w != nullptr ? number_of_name(r, "stacks in use") : 0;
  const std::uint64_t now = read_stamp(r.rate);
  r.usage_from = now + static_cast<std::uint64_t>(usage_every_ns / r.rate.ns_per_tick);
  if (!r.has_room() && !take_chunk(r)) return now;
  const platform::thread_usage u = platform::usage_of(r.thread);
  r.add(trace::pack(now, event_kind::usage, 0,
                    u.knows_ready ? static_cast<std::uint32_t>(u.ready_ns >> 32U) : trace::no_lane,
                    u.knows_ready ? static_cast<std::uint32_t>(u.ready_ns) : trace::no_lane,
                    static_cast<double>(u.processor_ns)));
  if (w != nullptr) add_stacks(r, w->pool, stacks, now);
  return now;
}

void add(trace_writer& r, event_kind kind, std::uint32_t name, std::uint32_t a, std::uint32_t b,
         double value) noexcept {
  std::uint64_t now = read_stamp(r.rate);
  if (now >= r.usage_from) [[unlikely]]
    now = add_usage(r);
  if (r.has_room() || take_chunk(r)) r.add(trace::pack(now, kind, name, a, b, value));
}

std::uint32_t& region_of(worker* w) noexcept {
  return w != nullptr && w->current.get() != nullptr ? w->current.get()->region : mine.region;
}

void set_region(worker* w, std::uint32_t region) noexcept {
  region_of(w) = region;
  if (w != nullptr) w->region.store(region, std::memory_order_relaxed);  // for thieves: a hint
}

}  // namespace

void tracing::leave_trace_of_parent() noexcept {
  if (recording_process.load(std::memory_order_relaxed) == platform::process_generation()) return;
  mine.own = nullptr;
  observers.fetch_and(~observed_for_trace, std::memory_order_relaxed);
}

void tracing::note(event_kind kind, std::uint32_t a, std::uint32_t b, double value,
                   std::uint32_t name) noexcept {
  worker* const w = this_worker();
  if (is_left_out(w)) return;
  if (trace_writer* const r = writer_here(w)) add(*r, kind, name, a, b, value);
}

std::uint32_t tracing::region_here() noexcept { return region_of(this_worker()); }

std::uint32_t tracing::begin_region(const char* name) noexcept {
  worker* const w = this_worker();
  const std::uint32_t around = region_of(w);
  if (is_left_out(w)) return around;
  trace_writer* const r = writer_here(w);
  if (r == nullptr) return around;
  const std::uint32_t number = number_of_name(*r, name);
  set_region(w, number);
  add(*r, event_kind::region_begin, number, 0, around, 0);
  return around;
}

void tracing::end_region(std::uint32_t around) noexcept {
  worker* const w = this_worker();
  if (is_left_out(w)) return;
  const std::uint32_t ended = region_of(w);
  set_region(w, around);
  if (!notes::is_traced()) return;
  if (trace_writer* const r = writer_here(w)) add(*r, event_kind::region_end, ended, 0, around, 0);
}

void tracing::count(const char* name, double value) noexcept {
  worker* const w = this_worker();
  if (is_left_out(w)) return;
  if (trace_writer* const r = writer_here(w))
    add(*r, event_kind::counter, number_of_name(*r, name), 0, 0, value);
}

void tracing::stolen(worker& thief, worker& victim, double ns, std::uint32_t depth) noexcept {
  // Relaxed, both: what the victim says of itself.
  thief.stolen_region = victim.region.load(std::memory_order_relaxed);
  note(event_kind::steal, victim.lane.load(std::memory_order_relaxed), depth, ns);
}

void tracing::begin_job(worker& w) noexcept {
  const std::uint32_t region = w.stolen_region;
  w.stolen_region = 0;
  set_region(&w, region);
  note(event_kind::job_begin, static_cast<std::uint32_t>(trace::job_source::stolen), 0, 0, region);
}

void tracing::begin_root(worker& w, const root& r) noexcept {
  set_region(&w, r.region);
  note(event_kind::job_begin, static_cast<std::uint32_t>(trace::job_source::root), 0, 0, r.region);
}

void tracing::end_job(worker& w) noexcept {
  set_region(&w, 0);
  note(event_kind::job_end);
}

namespace {

// What is waited for, where HEIST_CHECK=1 keeps the names of locks and the like.
std::uint32_t name_of(awaited what) noexcept {
  if (!waits_are_checked() || what.kind < wait_kind::mutex) return 0;
  try {
    const std::string name = name_of_awaited(what.object);
    known_name unused;
    return name.empty() ? 0 : new_number(unused, name.c_str());
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

}  // namespace

void tracing::suspend(fiber& f, awaited what) noexcept {
  std::uint32_t number = 0;
  while (number == 0) number = waits.fetch_add(1, std::memory_order_relaxed) + 1;
  f.traced_wait = number;
  note(event_kind::suspend, number, static_cast<std::uint32_t>(what.kind),
       static_cast<double>(reinterpret_cast<std::uintptr_t>(what.object)), name_of(what));
  f.traced_lane = mine.own != nullptr ? mine.own->lane : trace::no_lane;
}

void tracing::resume(worker& w, fiber& f) noexcept {
  w.region.store(f.region, std::memory_order_relaxed);
  note(event_kind::resume, f.traced_wait, f.traced_lane, 0, f.region);
  f.traced_wait = 0;
}

void tracing::note_idle(worker& w, bool look_again) noexcept {
  if (!w.notes_idle) note(event_kind::idle_begin);
  if (!w.notes_idle || look_again) w.idle_why = why_idle(w);
  w.notes_idle = true;
}

void tracing::end_idle(worker& w) noexcept {
  w.notes_idle = false;
  if (notes::is_traced()) note(event_kind::idle_end, static_cast<std::uint32_t>(w.idle_why.get()));
}

void tracing::begin_wake(pool_impl& p) noexcept {
  worker* const w = this_worker();
  if (is_left_out(w)) return;
  p.traced_waker.store(writer_here(w) != nullptr ? mine.own->lane : trace::no_lane,
                       std::memory_order_relaxed);
  p.traced_wake_ns.store(monotonic_ns(), std::memory_order_relaxed);
}

void tracing::woken(pool_impl& p) noexcept {
  // Relaxed, all of it: of several that wake at once the first one counts.
  const std::uint64_t since = p.traced_wake_ns.exchange(0, std::memory_order_relaxed);
  const std::uint32_t waker = p.traced_waker.load(std::memory_order_relaxed);
  const std::uint64_t now = monotonic_ns();
  const bool is_known = since != 0 && now > since;
  note(event_kind::wake, is_known ? waker : trace::no_lane, 0,
       is_known ? static_cast<double>(now - since) : 0);
}

void tracing::pool_ends(const pool_impl& p) noexcept {
  const std::lock_guard hold(guard);
  if (state == nullptr || state->record == nullptr) return;
  trace_record& r = *state->record;
  if (r.only == &p) r.only = nullptr;
  for (pool_entry& e : r.pools) {
    if (e.pool != &p) continue;
    try {
      e.statistics = to_json(p.stats());
    } catch (const std::bad_alloc&) {
      e.statistics.clear();
    }
    e.pool = nullptr;
  }
}

void tracing::start(pool_impl* only, std::size_t events, const std::string& path) {
  if (events < trace::least_events || events > trace::most_events)
    throw usage_error(
        "a trace of " + std::to_string(events) + " events for each thread: must be from " +
        std::to_string(trace::least_events) + " to " + std::to_string(trace::most_events));
  const std::lock_guard hold(guard);
  shared_state& s = locked_state();
  // The trace of a process from which this one was forked isn't one of this one.
  if (s.record != nullptr && s.record->process == platform::process_generation())
    throw usage_error("a trace is being recorded already");
  auto made = std::make_unique<trace_record>(only, path, events);
  if (!made->begin(s.names)) {
    const int error = errno;
    made->store->discard();
    throw resource_error("can't write " + path + ": " + std::strerror(error));
  }
  s.record = std::move(made);
  only_pool.store(only, std::memory_order_relaxed);
  recording_process.store(platform::process_generation(), std::memory_order_relaxed);
  current_number.fetch_add(1, std::memory_order_release);  // partner: writer_here()
  observers.fetch_or(observed_for_trace, std::memory_order_relaxed);
}

stopped_trace tracing::stop(const pool_impl* only) {
  const std::lock_guard hold(guard);
  shared_state& s = locked_state();
  if (s.record == nullptr || s.record->process != platform::process_generation())
    throw usage_error("no trace is being recorded");
  if (only != nullptr && s.record->only != only)
    throw usage_error("the trace that is being recorded isn't of this pool alone");
  observers.fetch_and(~observed_for_trace, std::memory_order_relaxed);
  only_pool.store(nullptr, std::memory_order_relaxed);
  const std::unique_ptr<trace_record> r = std::move(s.record);
  r->finish();
  return {r->store, r->path};
}

}  // namespace heist::inline v0::detail
