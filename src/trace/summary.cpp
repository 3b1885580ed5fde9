#include "trace/summary.hpp"

#include <algorithm>
#include <cstddef>

namespace heist::inline v0::trace {

namespace {

constexpr std::size_t index_of(lane_state s) { return static_cast<std::size_t>(s); }

spread spread_of(std::vector<double> values) {
  spread s;
  s.count = values.size();
  if (values.empty()) return s;
  for (const double v : values) s.sum += v;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  s.median = *middle;
  s.greatest = *std::max_element(values.begin(), values.end());
  return s;
}

// A lane begins or ends to work in a region.
struct edge {
  std::uint64_t at_ns;
  std::uint32_t lane, region;
  bool begins;
};

// Goes through the time and sees who works together with whom.
class sweep {
 public:
  sweep(const log& of, summary& to) : of_(of), to_(to), working_in_(of.names.size()) {
    work_by_region_.resize(of.names.size());
    for (std::uint32_t i = 0; i < work_by_region_.size(); ++i) work_by_region_[i].number = i;
  }

  void run(const std::vector<slice>& slices) {
    std::vector<edge> edges;
    for (const slice& s : slices) {
      if (s.state != lane_state::working) continue;
      edges.push_back({s.begin_ns, s.lane, s.region, true});
      edges.push_back({s.end_ns, s.lane, s.region, false});
      work_by_region_[s.region].work_ns += s.end_ns - s.begin_ns;
    }
    // Of edges at one time those that end something come first.
    std::sort(edges.begin(), edges.end(), [](const edge& x, const edge& y) {
      return x.at_ns != y.at_ns ? x.at_ns < y.at_ns : x.begins < y.begins;
    });
    std::uint64_t now = 0;
    for (const edge& e : edges) {
      pass(e.at_ns - now);
      now = e.at_ns;
      see(e);
    }
    for (const event& e : of_.events)
      if (e.kind == event_kind::region_begin) ++work_by_region_[e.name].entered;
    finish();
  }

 private:
  void see(const edge& e) {
    const bool is_worker = of_.lanes[e.lane].is_worker;
    unsigned& here = working_in_[e.region];
    if (e.begins) {
      if (here++ == 0) active_.push_back(e.region);
      lanes_ += 1;
      workers_ += is_worker ? 1 : 0;
    } else {
      if (--here == 0) active_.erase(std::find(active_.begin(), active_.end(), e.region));
      lanes_ -= 1;
      workers_ -= is_worker ? 1 : 0;
    }
  }
  void pass(std::uint64_t ns) {
    if (ns == 0 || active_.empty()) return;
    for (const std::uint32_t r : active_) work_by_region_[r].span_ns += ns;
    if (lanes_ != 1) return;
    region_summary& only = work_by_region_[active_.front()];
    only.alone_ns += ns;
    only.idle_ns += ns * (to_.workers - std::min(workers_, to_.workers));
  }
  void finish() {
    for (const region_summary& r : work_by_region_)
      if (r.work_ns != 0 || r.entered != 0) to_.regions.push_back(r);
    std::stable_sort(to_.regions.begin(), to_.regions.end(),
                     [](const auto& x, const auto& y) { return x.work_ns > y.work_ns; });
  }

  const log& of_;
  summary& to_;
  std::vector<unsigned> working_in_;   // lanes, by region
  std::vector<std::uint32_t> active_;  // regions in which a lane works
  std::vector<region_summary> work_by_region_;
  unsigned lanes_ = 0, workers_ = 0;  // that work
};

void add_use(const log& of, const std::vector<slice>& slices, std::size_t steps, summary& to) {
  if (to.workers == 0 || of.duration_ns == 0 || steps == 0) return;
  to.use.assign(steps, 0);
  const double step_ns = static_cast<double>(of.duration_ns) / static_cast<double>(steps);
  for (const slice& s : slices) {
    if (s.state != lane_state::working || !of.lanes[s.lane].is_worker) continue;
    const auto begin = static_cast<double>(s.begin_ns);
    const auto end = static_cast<double>(s.end_ns);
    for (auto i = static_cast<std::size_t>(begin / step_ns); i < steps; ++i) {
      const double from = std::max(begin, static_cast<double>(i) * step_ns);
      const double until = std::min(end, static_cast<double>(i + 1) * step_ns);
      if (until <= from) break;
      to.use[i] += (until - from) / step_ns / to.workers;
    }
  }
}

void add_events(const log& of, summary& to) {
  std::vector<double> steals;
  std::vector<double> wakes;
  std::vector<double> jobs;
  std::vector<double> depths;
  std::vector<std::uint64_t> began(of.lanes.size(), ~std::uint64_t{0});
  for (const event& e : of.events) {
    lane_summary& l = to.lanes[e.lane];
    switch (e.kind) {
      case event_kind::steal:
        ++l.steals;
        steals.push_back(e.value);
        depths.push_back(e.b);
        break;
      case event_kind::wake:
        if (e.value > 0) wakes.push_back(e.value);
        break;
      case event_kind::job_begin:
        ++l.jobs;
        began[e.lane] = e.a == static_cast<std::uint32_t>(job_source::stolen) ? e.time_ns
                                                                              : ~std::uint64_t{0};
        break;
      case event_kind::job_end:
      case event_kind::resume:
        if (began[e.lane] != ~std::uint64_t{0})
          jobs.push_back(static_cast<double>(e.time_ns - began[e.lane]));
        began[e.lane] = ~std::uint64_t{0};
        break;
      case event_kind::suspend:
        ++l.suspends;
        began[e.lane] = ~std::uint64_t{0};
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
    if (!of.lanes[each.lane].is_worker) continue;
    if (each.state == lane_state::working) s.work_ns += ns;
    if (each.state == lane_state::idle || each.state == lane_state::parked)
      s.idle_ns[static_cast<std::size_t>(each.why)] += ns;
  }
  sweep(of, s).run(slices);
  add_use(of, slices, steps, s);
  add_events(of, s);
  return s;
}

}  // namespace heist::inline v0::trace
