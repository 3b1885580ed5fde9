#include "recording/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "heist/log2_histogram.hpp"
#include "trace/sort_stably.hpp"

namespace heist::inline v0::trace {

namespace {

constexpr std::size_t index_of(lane_state s) { return static_cast<std::size_t>(s); }

constexpr std::size_t farthest = 1024;  // places between two workers

std::size_t bucket_of(double value) {
  constexpr double most = 1e18;
  return log2_histogram::bucket_of(static_cast<std::uint64_t>(std::ceil(std::min(value, most))));
}

void count_at(std::vector<std::uint64_t>& counts, std::size_t i) {
  if (counts.size() <= i) counts.resize(i + 1);
  ++counts[i];
}

spread spread_of(std::vector<double> values) {
  spread s;
  s.count = values.size();
  if (values.empty()) return s;
  for (const double v : values) {
    s.sum += v;
    count_at(s.buckets, bucket_of(v));
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  s.median = *middle;
  s.greatest = *std::max_element(values.begin(), values.end());
  return s;
}

// A slice begins or ends.
struct edge {
  std::uint64_t at_ns;
  const slice* what;
  bool begins;
};

// Goes through the time and sees who works together with whom.
class sweep {
 public:
  sweep(const log& of, summary& to, std::size_t steps)
      : of_(of),
        to_(to),
        step_ns_(static_cast<double>(of.duration_ns) / static_cast<double>(steps)),
        working_in_(of.names.size()) {
    if (of.duration_ns != 0) to.use.resize(steps);
    regions_.resize(of.names.size());
    for (std::uint32_t i = 0; i < regions_.size(); ++i) regions_[i].number = i;
  }

  void run(const std::vector<slice>& slices) {
    std::vector<edge> edges;
    edges.reserve(2 * slices.size());
    for (const slice& s : slices) {
      edges.push_back({s.begin_ns, &s, true});
      edges.push_back({s.end_ns, &s, false});
      if (s.state == lane_state::working) regions_[s.region].work_ns += s.end_ns - s.begin_ns;
    }
    // Of edges at one time those that end something come first.
    std::sort(edges.begin(), edges.end(), [](const edge& x, const edge& y) {
      return x.at_ns != y.at_ns ? x.at_ns < y.at_ns : x.begins < y.begins;
    });
    std::uint64_t now = 0;
    for (const edge& e : edges) {
      if (e.at_ns != now) pass(now, e.at_ns);
      now = e.at_ns;
      see(*e.what, e.begins);
    }
    for (const event& e : of_.events)
      if (e.kind == event_kind::region_begin) ++regions_[e.name].entered;
    finish();
  }

 private:
  void see(const slice& s, bool begins) {
    const unsigned one = begins ? 1U : ~0U;  // to be added, modulo 2^32
    if (of_.lanes[s.lane].is_worker) {
      alive_ += one;
      workers_in_[index_of(s.state)] += one;
      if (s.state == lane_state::idle || s.state == lane_state::parked)
        idle_[static_cast<std::size_t>(s.why)] += one;
    }
    if (s.state != lane_state::working) return;
    if (s.in_pool) working_ += one;
    lanes_ += one;
    unsigned& here = working_in_[s.region];
    here += one;
    if (begins && here == 1) active_.push_back(s.region);
    if (here == 0) active_.erase(std::find(active_.begin(), active_.end(), s.region));
  }
  void pass(std::uint64_t from_ns, std::uint64_t to_ns) {
    const std::uint64_t ns = to_ns - from_ns;
    // A caller works in the place of a worker that sleeps: then that place isn't idle.
    const unsigned blocked = workers_in_[index_of(lane_state::blocked)];
    const unsigned working = std::min(working_, alive_ - blocked);
    const std::uint64_t idle_ns = ns * (alive_ - blocked - working);
    to_.capacity_ns += ns * alive_;
    to_.work_ns += ns * working;
    add_use(from_ns, to_ns, working, blocked);
    std::uint64_t serial_ns = 0;
    std::uint64_t not_given_ns = 0;
    const unsigned all = idle_[0] + idle_[1] + idle_[2] + idle_[3];
    for (std::size_t i = 0; all != 0 && i < idle_.size(); ++i) {
      const std::uint64_t part_ns = idle_ns * idle_[i] / all;
      const idle_cause cause = cause_of(static_cast<idle_why>(i));
      to_.idle_ns[static_cast<std::size_t>(cause)] += part_ns;
      if (cause == idle_cause::serial_phase) serial_ns += part_ns;
      if (cause == idle_cause::not_given) not_given_ns += part_ns;
    }
    to_.busy_ns += ns * lanes_;
    for (const std::uint32_t r : active_) regions_[r].span_ns += ns;
    if (lanes_ != 1) return;
    to_.alone_ns += ns;
    regions_[active_.front()].alone_ns += ns;
    regions_[active_.front()].serial_idle_ns += serial_ns;
    regions_[active_.front()].outside_idle_ns += not_given_ns;
  }
  void add_use(std::uint64_t from_ns, std::uint64_t to_ns, unsigned working, unsigned blocked) {
    const unsigned idle = workers_in_[index_of(lane_state::idle)];
    const unsigned parked = workers_in_[index_of(lane_state::parked)];
    std::array<double, state_count> now{};
    now[index_of(lane_state::working)] = working;
    now[index_of(lane_state::blocked)] = blocked;
    if (const unsigned all = idle + parked; all != 0) {
      const double left = static_cast<double>(alive_ - blocked - working) / all;
      now[index_of(lane_state::idle)] = idle * left;
      now[index_of(lane_state::parked)] = parked * left;
    }
    const auto begin = static_cast<double>(from_ns);
    const auto end = static_cast<double>(to_ns);
    for (auto i = static_cast<std::size_t>(begin / step_ns_); i < to_.use.size(); ++i) {
      const double from = std::max(begin, static_cast<double>(i) * step_ns_);
      const double until = std::min(end, static_cast<double>(i + 1) * step_ns_);
      if (until <= from) break;
      for (std::size_t k = 0; k < state_count; ++k)
        to_.use[i][k] += now[k] * (until - from) / step_ns_;
    }
  }
  [[nodiscard]] idle_cause cause_of(idle_why said) const {
    if (said == idle_why::blocked) return idle_cause::blocked;
    if (working_ == 0) return idle_cause::not_given;
    if (said == idle_why::private_work) return idle_cause::private_work;
    return working_ == 1 ? idle_cause::serial_phase : idle_cause::no_work;
  }
  void finish() {
    for (const region_summary& r : regions_)
      if (r.work_ns != 0 || r.entered != 0) to_.regions.push_back(r);
    sort_stably(to_.regions, [](const auto& x, const auto& y) { return x.work_ns > y.work_ns; });
  }

  const log& of_;
  summary& to_;
  const double step_ns_;
  std::vector<unsigned> working_in_;   // lanes, by region
  std::vector<std::uint32_t> active_;  // regions in which a lane works
  std::vector<region_summary> regions_;
  unsigned alive_ = 0, working_ = 0;  // workers, and who works in their places
  unsigned lanes_ = 0;                // that work, in a pool or outside
  std::array<unsigned, 4> idle_{};    // workers, by reason
  std::array<unsigned, state_count> workers_in_{};
};

void count_place(const log& of, const event& steal, summary& to) {
  if (steal.a >= of.lanes.size()) return;
  const lane& thief = of.lanes[steal.lane];
  const lane& victim = of.lanes[steal.a];
  if (!thief.is_worker || !victim.is_worker || thief.pool != victim.pool) return;
  const std::size_t places =
      std::max(thief.worker, victim.worker) - std::min(thief.worker, victim.worker);
  count_at(to.steal_places, std::min(places, farthest));
}

void add_events(const log& of, summary& to) {
  std::vector<double> steals;
  std::vector<double> wakes;
  std::vector<double> jobs;
  std::vector<double> depths;
  std::vector<double> spells;
  constexpr std::uint64_t never = ~std::uint64_t{0};
  std::vector<std::uint64_t> began(of.lanes.size(), never);
  std::vector<std::uint64_t> idle_since(of.lanes.size(), never);
  for (const event& e : of.events) {
    lane_summary& l = to.lanes[e.lane];
    ++to.events[static_cast<std::size_t>(e.kind)];
    switch (e.kind) {
      case event_kind::steal:
        ++l.steals;
        steals.push_back(e.value);
        depths.push_back(e.b);
        count_place(of, e, to);
        break;
      case event_kind::idle_begin:
        idle_since[e.lane] = e.time_ns;
        break;
      case event_kind::idle_end:
        if (idle_since[e.lane] != never)
          spells.push_back(static_cast<double>(e.time_ns - idle_since[e.lane]));
        idle_since[e.lane] = never;
        break;
      case event_kind::wake:
        if (e.value > 0) wakes.push_back(e.value);
        break;
      case event_kind::job_begin:
        ++l.jobs;
        began[e.lane] = e.a == static_cast<std::uint32_t>(job_source::stolen) ? e.time_ns : never;
        break;
      case event_kind::job_end:
      case event_kind::resume:
        if (began[e.lane] != never) jobs.push_back(static_cast<double>(e.time_ns - began[e.lane]));
        began[e.lane] = never;
        break;
      case event_kind::suspend:
        ++l.suspends;
        began[e.lane] = never;
        break;
      case event_kind::park:
        ++l.parks;
        break;
      case event_kind::expose:
        ++l.exposes;
        break;
      default:
        break;
    }
  }
  to.steal_ns = spread_of(std::move(steals));
  to.wake_ns = spread_of(std::move(wakes));
  to.job_ns = spread_of(std::move(jobs));
  to.depth = spread_of(std::move(depths));
  to.spell_ns = spread_of(std::move(spells));
}

}  // namespace

summary summarise(const log& of, std::size_t steps) {
  summary s;
  s.lanes.resize(of.lanes.size());
  for (const lane& l : of.lanes) {
    s.workers += l.is_worker ? 1 : 0;
    s.lost_events += l.lost_events;
  }
  const std::vector<slice> slices = slices_of(of);
  for (const slice& each : slices) {
    const std::uint64_t ns = each.end_ns - each.begin_ns;
    s.lanes[each.lane].in_state[index_of(each.state)] += ns;
  }
  sweep(of, s, steps).run(slices);
  add_events(of, s);
  return s;
}

double most_speedup(const summary& of, double processors) {
  const auto alone = static_cast<double>(of.alone_ns);
  const auto all = static_cast<double>(of.busy_ns);
  return all > 0 ? all / (alone + (all - alone) / processors) : 0;
}

// ---- As JSON.

namespace {

using nlohmann::json;

json to_json(const spread& s) {
  return {{"count", s.count},
          {"mean", s.mean()},
          {"median", s.median},
          {"greatest", s.greatest},
          {"buckets", s.buckets}};
}

json lanes_json(const recording& of, const summary& numbers) {
  json lanes = json::array();
  for (std::size_t i = 0; i < of.lanes.size(); ++i) {
    const lane_summary& l = numbers.lanes[i];
    json one = {{"name", of.lanes[i].name}, {"is_worker", of.lanes[i].is_worker},
                {"steals", l.steals},       {"jobs", l.jobs},
                {"suspends", l.suspends},   {"parks", l.parks},
                {"exposes", l.exposes},     {"lost_events", of.lanes[i].lost_events}};
    for (std::size_t k = 0; k < state_count; ++k)
      one[std::string(state_names[k]) + "_ns"] = l.in_state[k];
    lanes.push_back(std::move(one));
  }
  return lanes;
}

json regions_json(const recording& of, const summary& numbers) {
  json regions = json::array();
  for (const region_summary& g : numbers.regions)
    regions.push_back({{"name", of.names[g.number]},
                       {"work_ns", g.work_ns},
                       {"span_ns", g.span_ns},
                       {"alone_ns", g.alone_ns},
                       {"serial_idle_ns", g.serial_idle_ns},
                       {"outside_idle_ns", g.outside_idle_ns},
                       {"entered", g.entered}});
  return regions;
}

}  // namespace

json to_json(const recording& of, const summary& numbers) {
  json idle = json::object();
  for (std::size_t k = 0; k < cause_count; ++k)
    idle[std::string(cause_names[k]) + "_ns"] = numbers.idle_ns[k];
  json kinds = json::object();
  for (std::size_t k = 0; k < event_kinds; ++k) kinds[event_names[k]] = numbers.events[k];
  json findings = json::array();
  for (const finding& f : findings_of(of, numbers))
    findings.push_back(
        {{"key", f.key}, {"what", f.what}, {"remedy", f.remedy}, {"share", f.weight}});
  return {{"program", of.program},
          {"machine", of.machine},
          {"version", of.version},
          {"processors", of.processors},
          {"clock", of.clock},
          {"duration_ns", of.duration_ns},
          {"events", of.events.size()},
          {"events_by_kind", kinds},
          {"lost_events", numbers.lost_events},
          {"workers", numbers.workers},
          {"headline", headline_of(numbers)},
          {"capacity_ns", numbers.capacity_ns},
          {"work_ns", numbers.work_ns},
          {"idle", idle},
          {"busy_ns", numbers.busy_ns},
          {"alone_ns", numbers.alone_ns},
          {"idle_spell_ns", to_json(numbers.spell_ns)},
          {"steal_ns", to_json(numbers.steal_ns)},
          {"steal_depth", to_json(numbers.depth)},
          {"steal_places", numbers.steal_places},
          {"wake_ns", to_json(numbers.wake_ns)},
          {"stolen_job_ns", to_json(numbers.job_ns)},
          {"lanes", lanes_json(of, numbers)},
          {"regions", regions_json(of, numbers)},
          {"findings", findings}};
}

}  // namespace heist::inline v0::trace
