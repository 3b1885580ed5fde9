#include "observe/trace/tracing.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heist/detail/root.hpp"
#include "heist/error.hpp"
#include "observe/stats/pool_state.hpp"
#include "observe/stats/stats_json.hpp"
#include "observe/trace/trace_record.hpp"
#include "observe/trace/trace_ring.hpp"
#include "platform/process.hpp"
#include "platform/process_mutex.hpp"
#include "platform/thread.hpp"
#include "runtime/core/fiber.hpp"
#include "runtime/core/live_pools.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

namespace {

using trace::event_kind;

constexpr std::size_t max_lanes = 4096;
constexpr std::size_t max_names = 65535;  // an observed region keeps the one around it in 30 bits
constexpr const char* other_names = "(other names)";

// Of the calling thread. A trace for which it got no ring leaves mine.ring null.
struct thread_part {
  trace_ring* own = nullptr;
  std::uint64_t trace_number = 0;
  std::uint32_t region = 0;  // on a thread outside of any pool
};
constinit thread_local thread_part mine;

// Never destroyed: threads may record until the process ends.
struct shared_state {
  std::vector<trace_ring*> rings;
  // Of all names that were ever seen, since a region may be open from one trace to the next. Of a
  // deque the elements stay where they are.
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::deque<std::string> names{""};
  std::unique_ptr<trace_record> record;
};

constinit platform::process_mutex guard;
constinit shared_state* state = nullptr;                 // guarded by the lock
constinit std::atomic<std::uint64_t> current_number{0};  // of the trace; never used again
constinit std::atomic<std::uint32_t> waits{0};           // gives each wait a number

shared_state& locked_state() {
  if (state == nullptr) state = new shared_state;
  return *state;
}

std::uint32_t number_of(trace_record& r, const pool_impl& p) {
  for (std::size_t i = 0; i < r.pools.size(); ++i)
    if (r.pools[i].pool == &p) return static_cast<std::uint32_t>(i);
  r.pools.push_back({&p, "", p.config().name, {}});
  return static_cast<std::uint32_t>(r.pools.size() - 1);
}

trace::lane describe_this_thread(trace_record& r, const worker* w) {
  trace::lane l;
  l.is_worker = w != nullptr && !w->is_guest;
  if (l.is_worker) {
    l.pool = number_of(r, w->pool);
    l.worker = w->index;
    l.name = w->pool.config().name + "/" + std::to_string(w->index);
    return l;
  }
  l.name = platform::is_main_thread()
               ? "main thread"
               : platform::thread_name() + " " + std::to_string(platform::thread_id());
  return l;
}

// Gives the thread a lane of the trace that is being recorded.
void join_trace(const worker* w, std::uint64_t number) noexcept {
  mine.trace_number = number;
  const std::lock_guard hold(guard);
  if (current_number.load(std::memory_order_relaxed) != number || state == nullptr ||
      state->record == nullptr)
    return;
  trace_record& r = *state->record;
  try {
    if (r.lanes.size() == max_lanes) throw std::bad_alloc();
    if (mine.own == nullptr || mine.own->mask + 1 != r.capacity) {
      state->rings.reserve(state->rings.size() + 1);
      mine.own = new trace_ring(r.capacity);
      state->rings.push_back(mine.own);
    }
    r.lanes.push_back(describe_this_thread(r, w));
  } catch (const std::bad_alloc&) {
    ++r.refused_lanes;
    return;
  }
  trace_ring& own = *mine.own;
  own.lane = static_cast<std::uint32_t>(r.lanes.size() - 1);
  own.first = own.done.load(std::memory_order_relaxed);
  own.rate = r.rate;
  own.trace_number = number;
}

// The ring of the calling thread for the trace of now; nullptr: it has none.
trace_ring* ring_here(worker* w) noexcept {
  // Acquire: partner is the release in start(); carries whom the trace is of.
  const std::uint64_t number = current_number.load(std::memory_order_acquire);
  if (mine.trace_number != number) join_trace(w, number);
  trace_ring* const own = mine.own;
  if (own == nullptr || own->trace_number != number) return nullptr;
  // Relaxed: a name for others.
  if (w != nullptr && w->lane.load(std::memory_order_relaxed) != own->lane)
    w->lane.store(own->lane, std::memory_order_relaxed);
  return own;
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
    if (is_new) s.names.push_back(text);
    place = {name, &s.names[at->second], at->second};
    return at->second;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

std::uint32_t number_of_name(trace_ring& r, const char* name) noexcept {
  known_name& place = r.names[(reinterpret_cast<std::uintptr_t>(name) >> 3U) % r.names.size()];
  // The same address can hold another name by now.
  if (place.at == name && *place.text == name) return place.number;
  return new_number(place, name);
}

void add(trace_ring& r, event_kind kind, std::uint32_t name, std::uint32_t a, std::uint32_t b,
         double value) noexcept {
  r.add({read_stamp(r.rate), std::bit_cast<std::uint64_t>(value),
         std::uint64_t{name} << 32U | static_cast<std::uint64_t>(kind),
         std::uint64_t{a} << 32U | b});
}

std::uint32_t& region_of(worker* w) noexcept {
  return w != nullptr && w->current.get() != nullptr ? w->current.get()->region : mine.region;
}

void set_region(worker* w, std::uint32_t region) noexcept {
  region_of(w) = region;
  if (w != nullptr) w->region.store(region, std::memory_order_relaxed);  // for thieves: a hint
}

}  // namespace

void tracing::note(event_kind kind, std::uint32_t a, std::uint32_t b, double value,
                   std::uint32_t name) noexcept {
  worker* const w = this_worker();
  if (is_left_out(w)) return;
  if (trace_ring* const r = ring_here(w)) add(*r, kind, name, a, b, value);
}

std::uint32_t tracing::region_here() noexcept { return region_of(this_worker()); }

std::uint32_t tracing::begin_region(const char* name) noexcept {
  worker* const w = this_worker();
  const std::uint32_t around = region_of(w);
  if (is_left_out(w)) return around;
  trace_ring* const r = ring_here(w);
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
  if (trace_ring* const r = ring_here(w)) add(*r, event_kind::region_end, ended, 0, around, 0);
}

void tracing::count(const char* name, double value) noexcept {
  worker* const w = this_worker();
  if (is_left_out(w)) return;
  if (trace_ring* const r = ring_here(w))
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

void tracing::suspend(fiber& f) noexcept {
  std::uint32_t number = 0;
  while (number == 0) number = waits.fetch_add(1, std::memory_order_relaxed) + 1;
  f.traced_wait = number;
  note(event_kind::suspend, number);
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
  p.traced_waker.store(ring_here(w) != nullptr ? mine.own->lane : trace::no_lane,
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

void tracing::start(pool_impl* only, std::size_t events) {
  if (events < trace::least_events || events > trace::most_events)
    throw usage_error(
        "a trace of " + std::to_string(events) + " events for each thread: must be from " +
        std::to_string(trace::least_events) + " to " + std::to_string(trace::most_events));
  auto made = std::make_unique<trace_record>();
  made->process = platform::process_generation();
  made->only = only;
  made->capacity = std::bit_ceil(events);
  made->rate = stamp_rate::find();
  const std::lock_guard hold(guard);
  shared_state& s = locked_state();
  // The trace of a process from which this one was forked isn't one of this one.
  if (s.record != nullptr && s.record->process == made->process)
    throw usage_error("a trace is being recorded already");
  live_pools::for_each([&made, only](pool_impl& p) {
    pool_entry entry{&p, "", p.config().name, {}};
    for (unsigned i = 0; i < p.size(); ++i)
      entry.before.push_back(p.resident(i).doing.load(std::memory_order_relaxed));
    if (only == nullptr || only == &p) made->pools.push_back(std::move(entry));
    for (unsigned i = 0; i < p.slots(); ++i) {
      if (i < p.size()) p.resident(i).lane.store(trace::no_lane, std::memory_order_relaxed);
      p.at(i).lane.store(trace::no_lane, std::memory_order_relaxed);
    }
    p.traced_wake_ns.store(0, std::memory_order_relaxed);
  });
  only_pool.store(only, std::memory_order_relaxed);
  made->begin_ns = monotonic_ns();
  made->begin_ticks = read_stamp(made->rate);
  s.record = std::move(made);
  current_number.fetch_add(1, std::memory_order_release);  // partner: ring_here()
  observers.fetch_or(observed_for_trace, std::memory_order_relaxed);
}

trace::log tracing::stop(const pool_impl* only) {
  const std::lock_guard hold(guard);
  shared_state& s = locked_state();
  if (s.record == nullptr || s.record->process != platform::process_generation())
    throw usage_error("no trace is being recorded");
  if (only != nullptr && s.record->only != only)
    throw usage_error("the trace that is being recorded isn't of this pool alone");
  observers.fetch_and(~observed_for_trace, std::memory_order_relaxed);
  trace_record& r = *s.record;
  trace::log to = log_of(r, s.rings, current_number.load(std::memory_order_relaxed));
  to.names.assign(s.names.begin(), s.names.end());
  only_pool.store(nullptr, std::memory_order_relaxed);
  s.record.reset();
  return to;
}

}  // namespace heist::inline v0::detail
