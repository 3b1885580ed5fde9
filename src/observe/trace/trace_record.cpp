#include "observe/trace/trace_record.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <new>
#include <utility>

#include "heist/version.hpp"
#include "observe/stats/stats_json.hpp"
#include "platform/cpu_count.hpp"
#include "platform/process.hpp"
#include "platform/program.hpp"
#include "runtime/core/live_pools.hpp"
#include "runtime/core/pool_impl.hpp"
#include "trace/lane_slices.hpp"
#include "trace/write.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr std::size_t max_lanes = 4096;

#if defined(__aarch64__)
constexpr const char* counter_name = "cntvct";
#else
constexpr const char* counter_name = "tsc";
#endif

std::uint32_t before(worker_state s) {
  switch (s) {
    case worker_state::running:
      return static_cast<std::uint32_t>(trace::lane_state::working);
    case worker_state::parked:
      return static_cast<std::uint32_t>(trace::lane_state::parked);
    case worker_state::searching:
    case worker_state::starved:
      break;
  }
  return static_cast<std::uint32_t>(trace::lane_state::idle);
}

std::string name_of_this_thread() {
  return platform::is_main_thread()
             ? "main thread"
             : platform::thread_name() + " " + std::to_string(platform::thread_id());
}

}  // namespace

trace_record::trace_record(pool_impl* of, const std::string& file, std::size_t events)
    : process(platform::process_generation()),
      only(of),
      capacity(events),
      rate(stamp_rate::find()),
      path(file),
      store(std::make_shared<trace_store>(file)) {
  trace::stored_head& head = store->head();
  head.ns_per_tick = rate.ns_per_tick;
  begin_ns = monotonic_ns();
  head.begin_ticks = head.latest_ticks = read_stamp(rate);
}

bool trace_record::begin(const std::deque<std::string>& names) {
  trace::log about;
  about.program = platform::program_name();
  about.machine = platform::processor_name();
  about.version = HEIST_VERSION_STRING;
  about.processors = platform::machine_cpus();
  about.clock = rate.is_counter ? counter_name : "clock_gettime";
  bool has_room = true;
  trace::each_text_about(about, [&](trace::text_head head, std::string_view text) {
    has_room = has_room && store->add_text(head, text);
  });
  for (std::uint32_t i = 1; i < names.size(); ++i)
    has_room = has_room && store->add_text(trace::head_of_name(i), names[i]);
  live_pools::for_each([&](pool_impl& p) {
    for (unsigned i = 0; i < p.slots(); ++i) {
      if (i < p.size()) p.resident(i).lane.store(trace::no_lane, std::memory_order_relaxed);
      p.at(i).lane.store(trace::no_lane, std::memory_order_relaxed);
    }
    p.traced_wake_ns.store(0, std::memory_order_relaxed);
    p.traced_stacks_from.store(0, std::memory_order_relaxed);
    if (only != nullptr && only != &p) return;
    const std::uint32_t pool = number_of(p);
    for (unsigned i = 0; i < p.size() && lanes.size() < max_lanes; ++i) {
      worker& w = p.resident(i);
      w.lane.store(static_cast<std::uint32_t>(lanes.size()), std::memory_order_relaxed);
      has_room = has_room && add_lane({name_of(pool, i), pool, i, true, 0},
                                      before(w.doing.load(std::memory_order_relaxed)));
    }
  });
  return has_room;
}

std::uint32_t trace_record::number_of(const pool_impl& p) {
  for (std::size_t i = 0; i < pools.size(); ++i)
    if (pools[i].pool == &p) return static_cast<std::uint32_t>(i);
  pools.push_back({&p, "", p.config().name});
  return static_cast<std::uint32_t>(pools.size() - 1);
}

// Of several pools with one name the later ones have their number among them.
std::string trace_record::name_of(std::uint32_t pool, unsigned worker) const {
  const auto same = std::count_if(pools.begin(), pools.begin() + pool + 1,
                                  [&](const pool_entry& e) { return e.name == pools[pool].name; });
  return pools[pool].name + (same > 1 ? "#" + std::to_string(same) : "") + "/" +
         std::to_string(worker);
}

bool trace_record::add_lane(trace::lane l, std::uint32_t before) {
  const auto number = static_cast<std::uint32_t>(lanes.size());
  lanes.push_back(std::move(l));
  if (store->add_text(trace::head_of(lanes.back(), number, before), lanes.back().name)) return true;
  lanes.pop_back();  // a lane without a text would be one of which nothing is known
  return false;
}

// All of a pool's workers get their lanes together, in order, when the first of them comes.
std::uint32_t trace_record::lane_for(const worker* w) {
  if (w == nullptr || w->is_guest) {
    if (lanes.size() == max_lanes ||
        !add_lane({name_of_this_thread(), 0, 0, false, 0}, trace::nothing_before))
      return trace::no_lane;
    return static_cast<std::uint32_t>(lanes.size() - 1);
  }
  const std::size_t known = pools.size();
  const std::uint32_t pool = number_of(w->pool);
  const bool is_new = pools.size() != known;
  for (unsigned i = 0; is_new && i < w->pool.size() && lanes.size() < max_lanes; ++i)
    if (!add_lane({name_of(pool, i), pool, i, true, 0}, trace::nothing_before)) break;
  const auto at = std::find_if(lanes.begin(), lanes.end(), [&](const trace::lane& x) {
    return x.is_worker && x.pool == pool && x.worker == w->index;
  });
  return at != lanes.end() ? static_cast<std::uint32_t>(at - lanes.begin()) : trace::no_lane;
}

void trace_record::note_time() noexcept {
  trace::stored_head& head = store->head();
  head.latest_ticks = read_stamp(rate);
  head.latest_ns = monotonic_ns() - begin_ns;
}

void trace_record::finish() {
  note_time();
  live_pools::for_each([this](pool_impl& p) {
    for (pool_entry& e : pools)
      if (e.pool == &p) e.statistics = to_json(p.stats());
  });
  std::string all = "[";
  for (const pool_entry& e : pools)
    all += (&e == pools.data() ? "" : ",") + (e.statistics.empty() ? "null" : e.statistics);
  // Without room for them the recording stands.
  static_cast<void>(store->add_text(trace::head_of_statistics(), all + "]"));
  store->end(is_full ? trace::ending::no_space : trace::ending::complete);
}

// ---- One thread.

void trace_writer::begin(const trace_record& r, std::uint64_t number, std::uint32_t in) noexcept {
  places_.clear();
  used_ = room_ = 0;
  events_ = kept_ = 0;
  lane = in;
  thread = platform::thread_id();
  rate = r.rate;
  usage_from = 0;
  trace_number = number;
}

// Chunks become longer: a thread that has little to say takes little. From `capacity` events on its
// oldest chunk is used again.
bool trace_writer::take_place(trace_record& r) noexcept {
  const auto room_in = [](std::uint64_t bytes) {
    return trace::chunk_room(bytes) / sizeof(trace::packed_event);
  };
  events_ += used_ / sizeof(trace::packed_event);
  chunk_ = nullptr;
  used_ = room_ = 0;
  try {
    if (!places_.empty() && kept_ - room_in(places_.front().bytes) >= r.capacity) {
      places_.push_back(places_.front());
      places_.pop_front();
    } else {
      const std::uint64_t longest =
          std::clamp<std::uint64_t>(std::bit_floor(r.capacity * sizeof(trace::packed_event) / 4),
                                    trace::least_chunk, trace::most_chunk);
      place& its = places_.emplace_back();
      const std::size_t n = places_.size();
      its.bytes = static_cast<std::uint32_t>(
          n == 1 ? trace::least_chunk
                 : std::min<std::uint64_t>(std::uint64_t{places_[n - 2].bytes} * 2, longest));
      if (!r.store->take(
              {static_cast<std::uint32_t>(trace::chunk_kind::events), its.bytes, lane, 0, events_},
              its.at))
        return false;
      kept_ += room_in(its.bytes);
    }
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return false;
  }
  r.note_time();
  if (r.store->is_file() && r.store->size() > trace::surprising_bytes && !r.has_warned) {
    r.has_warned = true;
    std::fprintf(stderr,
                 "heist: the trace %s has %.0f MB after %.1f s, and grows; HEIST_TRACE_EVENTS=N "
                 "keeps the newest N events of each thread alone\n",
                 r.store->path().c_str(), static_cast<double>(r.store->size()) * 1e-6,
                 static_cast<double>(r.store->head().latest_ns) * 1e-9);
  }
  return true;
}

bool trace_writer::open_chunk(const trace_store& in) noexcept {
  const place its = places_.back();
  chunk_ = in.open(its.at, its.bytes);
  if (chunk_ == nullptr) return false;
  // The events of a chunk that is used again are gone before it is that of others.
  __atomic_store_n(&chunk_->used, 0U, __ATOMIC_RELEASE);
  __atomic_store_n(&chunk_->first, events_, __ATOMIC_RELEASE);
  words_ = reinterpret_cast<std::uint64_t*>(chunk_.get() + 1);
  room_ = static_cast<std::uint32_t>(trace::chunk_room(its.bytes) / sizeof(trace::packed_event) *
                                     sizeof(trace::packed_event));
  return true;
}

}  // namespace heist::inline v0::detail
