#include "recording/summary.hpp"

#include <algorithm>
#include <cstddef>

#include "trace/sort_stably.hpp"

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

// A slice begins or ends.
struct edge {
  std::uint64_t at_ns;
  const slice* what;
  bool begins;
};

// Goes through the time and sees who works together with whom.
class sweep {
 public:
  sweep(const log& of, summary& to) : of_(of), to_(to), working_in_(of.names.size()) {
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
      if (e.at_ns != now) pass(e.at_ns - now);
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
  void pass(std::uint64_t ns) {
    // A caller works in the place of a worker that sleeps: then that place isn't idle.
    const std::uint64_t idle_ns = ns * (alive_ - std::min(working_, alive_));
    to_.capacity_ns += ns * alive_;
    to_.work_ns += ns * std::min(working_, alive_);
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
    for (const std::uint32_t r : active_) regions_[r].span_ns += ns;
    if (lanes_ != 1) return;
    regions_[active_.front()].alone_ns += ns;
    regions_[active_.front()].serial_idle_ns += serial_ns;
    regions_[active_.front()].outside_idle_ns += not_given_ns;
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
  std::vector<unsigned> working_in_;   // lanes, by region
  std::vector<std::uint32_t> active_;  // regions in which a lane works
  std::vector<region_summary> regions_;
  unsigned alive_ = 0, working_ = 0;  // workers, and who works in their places
  unsigned lanes_ = 0;                // that work, in a pool or outside
  std::array<unsigned, 4> idle_{};    // workers, by reason
};

void add_use(const log& of, const std::vector<slice>& slices, std::size_t steps, summary& to) {
  if (to.workers == 0 || of.duration_ns == 0 || steps == 0) return;
  to.use.assign(steps, 0);
  const double step_ns = static_cast<double>(of.duration_ns) / static_cast<double>(steps);
  for (const slice& s : slices) {
    if (s.state != lane_state::working || !s.in_pool) continue;
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
        began[e.lane] =
            e.a == static_cast<std::uint32_t>(job_source::stolen) ? e.time_ns : ~std::uint64_t{0};
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
  }
  sweep(of, s).run(slices);
  add_use(of, slices, steps, s);
  add_events(of, s);
  return s;
}

}  // namespace heist::inline v0::trace
