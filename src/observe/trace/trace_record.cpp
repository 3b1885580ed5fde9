#include "observe/trace/trace_record.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "heist/version.hpp"
#include "observe/stats/stats_json.hpp"
#include "observe/trace/trace_ring.hpp"
#include "platform/cpu_count.hpp"
#include "platform/program.hpp"
#include "runtime/core/live_pools.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"
#include "trace/sort_stably.hpp"

namespace heist::inline v0::detail {

namespace {

using trace::event_kind;

#if defined(__aarch64__)
constexpr const char* counter_name = "cntvct";
#else
constexpr const char* counter_name = "tsc";
#endif

// An event that says what the worker did before the first one that was recorded.
event_kind event_of(worker_state s) {
  switch (s) {
    case worker_state::running:
      return event_kind::job_begin;
    case worker_state::parked:
      return event_kind::park;
    case worker_state::searching:
    case worker_state::starved:
      break;
  }
  return event_kind::idle_begin;
}

// A worker that was there before the trace shows from its beginning on; one that has slept through
// all of it has no lane yet.
void add_workers_from_before(trace_record& r, std::vector<trace::event>& events) {
  std::vector<trace::event> added;
  for (std::uint32_t k = 0; k < r.pools.size(); ++k) {
    const std::vector<worker_state>& before = r.pools[k].before;
    for (std::uint32_t i = 0; i < before.size(); ++i) {
      auto at = std::find_if(r.lanes.begin(), r.lanes.end(), [&](const trace::lane& l) {
        return l.is_worker && l.pool == k && l.worker == i;
      });
      if (at == r.lanes.end())
        at = r.lanes.insert(at, {r.pools[k].name + "/" + std::to_string(i), k, i, true, 0});
      trace::event e;
      e.lane = static_cast<std::uint32_t>(at - r.lanes.begin());
      e.kind = event_of(before[i]);
      if (e.kind == event_kind::job_begin)
        e.a = static_cast<std::uint32_t>(trace::job_source::other);
      added.push_back(e);
    }
  }
  events.insert(events.begin(), added.begin(), added.end());
}

std::string statistics_of(trace_record& r) {
  live_pools::for_each([&r](pool_impl& p) {
    for (pool_entry& e : r.pools)
      if (e.pool == &p) e.statistics = to_json(p.stats());
  });
  std::string to = "[";
  for (const pool_entry& e : r.pools)
    to += (&e == r.pools.data() ? "" : ",") + (e.statistics.empty() ? "null" : e.statistics);
  return to + "]";
}

void set_times(trace::log& to, const trace_record& r) {
  const std::uint64_t end_ticks = read_stamp(r.rate);
  const std::uint64_t end_ns = monotonic_ns();
  // Over the whole trace the rate is known better than from its beginning, if the trace is long.
  const bool is_long = end_ns - r.begin_ns > 10'000'000 && end_ticks > r.begin_ticks;
  const double rate = is_long ? static_cast<double>(end_ns - r.begin_ns) /
                                    static_cast<double>(end_ticks - r.begin_ticks)
                              : r.rate.ns_per_tick;
  to.duration_ns = end_ns - r.begin_ns;
  for (trace::event& e : to.events) {
    const std::uint64_t ticks = e.time_ns > r.begin_ticks ? e.time_ns - r.begin_ticks : 0;
    e.time_ns =
        std::min(static_cast<std::uint64_t>(static_cast<double>(ticks) * rate), to.duration_ns);
  }
  trace::sort_stably(to.events, [](const auto& x, const auto& y) { return x.time_ns < y.time_ns; });
}

}  // namespace

trace::log log_of(trace_record& r, const std::vector<trace_ring*>& rings, std::uint64_t number) {
  trace::log to;
  to.program = platform::program_name();
  to.machine = platform::processor_name();
  to.version = HEIST_VERSION_STRING;
  to.processors = platform::machine_cpus();
  to.clock = r.rate.is_counter ? counter_name : "clock_gettime";
  to.statistics_json = statistics_of(r);
  for (const trace_ring* const one : rings)
    if (one->trace_number == number) copy_events(*one, r.lanes[one->lane], to.events);
  add_workers_from_before(r, to.events);
  to.lanes = r.lanes;
  set_times(to, r);
  return to;
}

// ---- trace_ring.hpp

void copy_events(const trace_ring& r, trace::lane& lane, std::vector<trace::event>& to) {
  const std::uint64_t end = r.done.load(std::memory_order_acquire);  // T2
  const std::uint64_t capacity = r.mask + 1;
  std::uint64_t first = std::max(r.first, end > capacity ? end - capacity : 0);
  const std::size_t begin = to.size();
  for (std::uint64_t n = first; n < end; ++n) {
    const std::uint64_t* const at = r.words.get() + 4 * (n & r.mask);
    const auto word = [at](int i) { return __atomic_load_n(at + i, __ATOMIC_RELAXED); };
    trace::event e;
    e.time_ns = word(0);
    e.value = std::bit_cast<double>(word(1));
    e.lane = r.lane;
    e.kind = static_cast<trace::event_kind>(word(2) & 0xffU);
    e.name = static_cast<std::uint32_t>(word(2) >> 32U);
    e.a = static_cast<std::uint32_t>(word(3) >> 32U);
    e.b = static_cast<std::uint32_t>(word(3));
    to.push_back(e);
  }
  std::atomic_thread_fence(std::memory_order_acquire);  // T2
  const std::uint64_t begun = r.begun.load(std::memory_order_relaxed);
  const std::uint64_t torn = begun > capacity ? std::min(begun - capacity, end) : 0;
  if (torn > first) {
    const auto dropped = static_cast<std::ptrdiff_t>(torn - first);
    to.erase(to.begin() + static_cast<std::ptrdiff_t>(begin),
             to.begin() + static_cast<std::ptrdiff_t>(begin) + dropped);
    first = torn;
  }
  lane.lost_events = first - r.first;
}

}  // namespace heist::inline v0::detail
