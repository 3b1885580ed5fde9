#include "recording/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "recording/event_counts.hpp"
#include "trace/sort_stably.hpp"

namespace heist::inline v0::trace {

namespace {

constexpr std::size_t index_of(lane_state s) { return static_cast<std::size_t>(s); }

constexpr double least_sleep_ns = 100'000;  // less may be the time between two clocks

// The part of `ns` that `part` of `whole` is.
std::uint64_t part_of(std::uint64_t ns, std::int64_t part, std::int64_t whole) {
  if (part >= whole) return ns;
  const double share = std::max(0.0, static_cast<double>(part) / static_cast<double>(whole));
  return std::min(ns, static_cast<std::uint64_t>(static_cast<double>(ns) * share));
}

// Goes through the time and sees who works together with whom. A lane that could run and had no
// processor counts for as much as it had one: what others lack while the only one that works waits
// for a processor, the machine has taken, and not the program.
class sweep {
 public:
  sweep(const log& of, const foresight& ahead, summary& to, std::size_t steps)
      : of_(of),
        ahead_(ahead),
        to_(to),
        step_ns_(static_cast<double>(of.duration_ns) / static_cast<double>(steps)),
        follower_(of, ahead),
        lanes_of_(of.lanes.size()),
        working_in_(of.names.size()) {
    if (of.duration_ns != 0) to.use.resize(steps);
    regions_.resize(of.names.size());
    for (std::uint32_t i = 0; i < regions_.size(); ++i) regions_[i].number = i;
    for (std::uint32_t i = 0; i < lanes_of_.size(); ++i) set_share(i);
  }

  void see(const event& e) {
    if (e.time_ns != now_ns_) pass(e.time_ns);
    if (e.kind == event_kind::region_begin) ++regions_[e.name].entered;
    lane_part& l = lanes_of_[e.lane];
    const lane_now& next = follower_.see(e);
    const std::vector<foresight::usage>& used = ahead_.lanes[e.lane].used;
    if (e.kind == event_kind::usage) see_usage(e);
    const bool has_new_share =
        e.kind == event_kind::usage && l.usage < used.size() && used[l.usage].until_ns <= e.time_ns;
    if (next == l.now && !has_new_share) return;
    charge(e.lane);
    count(e.lane, -1);
    if (has_new_share) {
      ++l.usage;
      set_share(e.lane);
    }
    l.now = next;
    count(e.lane, 1);
  }
  void finish() {
    if (of_.duration_ns != now_ns_) pass(of_.duration_ns);
    for (std::uint32_t i = 0; i < lanes_of_.size(); ++i) charge(i);
  }
  [[nodiscard]] std::vector<region_summary>& regions() { return regions_; }
  [[nodiscard]] std::uint32_t region_of(std::uint32_t lane) const {
    return lanes_of_[lane].now.region;
  }

 private:
  static constexpr std::int64_t whole = 1 << 16;  // share of a processor
  struct lane_part {
    lane_now now;
    std::uint64_t since_ns = 0;
    std::int64_t share = whole;
    std::size_t usage = 0;  // in foresight
    // Since the system was asked last.
    std::uint64_t asked_ns = 0, rested_ns = 0;
    double used_ns = -1;  // what it said then, of both times together; negative: nothing
  };

  // A worker that neither had a processor nor wanted one, and didn't rest by heist's doing.
  void see_usage(const event& e) {
    charge(e.lane);
    lane_part& l = lanes_of_[e.lane];
    const bool tells = e.a != no_lane || e.b != no_lane;
    const double used_ns = e.value + static_cast<double>(std::uint64_t{e.a} << 32U | e.b);
    if (tells && l.used_ns >= 0 && of_.lanes[e.lane].is_worker) {
      const double slept_ns = static_cast<double>(e.time_ns - l.asked_ns) -
                              static_cast<double>(l.rested_ns) - (used_ns - l.used_ns);
      if (slept_ns > least_sleep_ns && slept_ns <= static_cast<double>(e.time_ns - l.asked_ns)) {
        to_.lanes[e.lane].slept_ns += static_cast<std::uint64_t>(slept_ns);
        regions_[l.now.region].slept_ns += static_cast<std::uint64_t>(slept_ns);
      }
    }
    l.asked_ns = e.time_ns;
    l.rested_ns = 0;
    l.used_ns = tells ? used_ns : -1;
  }

  // Until the next time that the system was asked; afterwards as before.
  void set_share(std::uint32_t lane) {
    lane_part& l = lanes_of_[lane];
    const std::vector<foresight::usage>& used = ahead_.lanes[lane].used;
    if (l.usage < used.size())
      l.share = static_cast<std::int64_t>(used[l.usage].share * static_cast<float>(whole));
  }
  void charge(std::uint32_t lane) {
    lane_part& l = lanes_of_[lane];
    const std::uint64_t ns = now_ns_ - l.since_ns;
    l.since_ns = now_ns_;
    const bool may_use_a_processor =
        l.now.is_there && (l.now.state == lane_state::working || l.now.state == lane_state::idle);
    if (!may_use_a_processor) l.rested_ns += ns;
    if (!l.now.is_there) return;
    to_.lanes[lane].in_state[index_of(l.now.state)] += ns;
    if (l.now.state == lane_state::working)
      regions_[l.now.region].work_ns += part_of(ns, l.share, whole);
  }
  void count(std::uint32_t lane, int by) {
    const lane_part& l = lanes_of_[lane];
    if (!l.now.is_there) return;
    const auto one = static_cast<unsigned>(by);  // to be added, modulo 2^32
    if (of_.lanes[lane].is_worker) {
      alive_ += one;
      workers_in_[index_of(l.now.state)] += one;
      if (l.now.state == lane_state::idle || l.now.state == lane_state::parked) {
        idle_[static_cast<std::size_t>(l.now.why)] += one;
        // One that sleeps wants no processor.
        idle_share_ += by * (l.now.state == lane_state::idle ? l.share : whole);
      }
    }
    if (l.now.state != lane_state::working) return;
    if (l.now.in_pool) {
      working_ += one;
      working_share_ += by * l.share;
    }
    lanes_ += one;
    lanes_share_ += by * l.share;
    unsigned& here = working_in_[l.now.region];
    here += one;
    if (by > 0 && here == 1) active_.push_back(l.now.region);
    if (here == 0) active_.erase(std::find(active_.begin(), active_.end(), l.now.region));
  }
  void pass(std::uint64_t to_ns) {
    const std::uint64_t from_ns = now_ns_;
    const std::uint64_t ns = to_ns - from_ns;
    now_ns_ = to_ns;
    // A caller works in the place of a worker that sleeps: then that place isn't idle.
    const unsigned blocked = workers_in_[index_of(lane_state::blocked)];
    const unsigned working = std::min(working_, alive_ - blocked);
    const std::uint64_t work_ns = ns * working;
    const std::uint64_t ran_ns = part_of(work_ns, working_share_, whole * working_);
    std::uint64_t idle_ns = ns * (alive_ - blocked - working);
    to_.capacity_ns += ns * alive_;
    to_.work_ns += ran_ns;
    to_.taken_ns += work_ns - ran_ns + idle_ns;
    add_use(from_ns, to_ns, working, blocked);
    const unsigned all = idle_[0] + idle_[1] + idle_[2] + idle_[3];
    if (all != 0) idle_ns = part_of(idle_ns, idle_share_, whole * all);
    if (lanes_ != 0) idle_ns = part_of(idle_ns, lanes_share_, whole * lanes_);
    to_.taken_ns -= idle_ns;
    std::uint64_t serial_ns = 0;
    std::uint64_t not_given_ns = 0;
    for (std::size_t i = 0; all != 0 && i < idle_.size(); ++i) {
      const std::uint64_t part_ns = idle_ns * idle_[i] / all;
      const idle_cause cause = cause_of(static_cast<idle_why>(i));
      to_.idle_ns[static_cast<std::size_t>(cause)] += part_ns;
      if (cause == idle_cause::serial_phase) serial_ns += part_ns;
      if (cause == idle_cause::not_given) not_given_ns += part_ns;
    }
    const std::uint64_t each_ns = lanes_ == 0 ? 0 : part_of(ns, lanes_share_, whole * lanes_);
    to_.busy_ns += each_ns * lanes_;
    for (const std::uint32_t r : active_) regions_[r].span_ns += each_ns;
    if (lanes_ != 1) return;
    to_.alone_ns += each_ns;
    regions_[active_.front()].alone_ns += each_ns;
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

  const log& of_;
  const foresight& ahead_;
  summary& to_;
  const double step_ns_;
  lane_follower follower_;
  std::vector<lane_part> lanes_of_;
  std::uint64_t now_ns_ = 0;
  std::vector<unsigned> working_in_;   // lanes, by region
  std::vector<std::uint32_t> active_;  // regions in which a lane works
  std::vector<region_summary> regions_;
  unsigned alive_ = 0, working_ = 0;  // workers, and who works in their places
  unsigned lanes_ = 0;                // that work, in a pool or outside
  std::array<unsigned, 4> idle_{};    // workers, by reason
  std::array<unsigned, state_count> workers_in_{};
  // Sums of shares: of those that work in a pool, of all that work, of workers that don't.
  std::int64_t working_share_ = 0, lanes_share_ = 0, idle_share_ = 0;
};

}  // namespace

summary summarise(const log& of, std::size_t steps) {
  summary s;
  s.lanes.resize(of.lanes.size());
  const foresight ahead = foresee(of);
  for (std::size_t i = 0; i < of.lanes.size(); ++i) {
    const lane& l = of.lanes[i];
    s.lost_events += l.lost_events;
    s.lanes[i].processor_ns = ahead.lanes[i].processor_ns;
    s.lanes[i].ready_ns = ahead.lanes[i].ready_ns;
    s.workers += l.is_worker ? 1 : 0;
    s.processor_ns += ahead.lanes[i].processor_ns;
    s.ready_ns += ahead.lanes[i].ready_ns;
  }
  s.knows_usage = ahead.knows_usage;
  sweep times(of, ahead, s, steps);
  event_counter counts(of, s);
  of.each_event([&](const event& e) {
    counts.see(e, times.region_of(e.lane), times.regions());  // before the lane does something else
    times.see(e);
  });
  times.finish();
  counts.finish(times.regions());
  return s;
}

double processor_share(const summary& of) {
  const auto wanted = static_cast<double>(of.processor_ns) + static_cast<double>(of.ready_ns);
  return of.knows_usage && wanted > 0 ? static_cast<double>(of.processor_ns) / wanted : 1;
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
    json one = {{"name", of.lanes[i].name},
                {"is_worker", of.lanes[i].is_worker},
                {"steals", l.steals},
                {"jobs", l.jobs},
                {"suspends", l.suspends},
                {"parks", l.parks},
                {"exposes", l.exposes},
                {"lost_events", of.lanes[i].lost_events},
                {"processor_ns", l.processor_ns},
                {"ready_ns", l.ready_ns},
                {"slept_ns", l.slept_ns}};
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
                       {"entered", g.entered},
                       {"slept_ns", g.slept_ns},
                       {"stolen_jobs", g.jobs},
                       {"short_jobs", g.short_jobs},
                       {"passes", g.passes},
                       {"pass_mean_ns", g.pass_mean_ns},
                       {"pass_deviation_ns", g.pass_deviation_ns}});
  return regions;
}

json waits_json(const recording& of, const summary& numbers) {
  json waits = json::array();
  for (const wait_summary& w : numbers.waits)
    waits.push_back({{"for", awaited_names[w.kind]},
                     {"object", w.object},
                     {"name", of.names[w.name]},
                     {"region", of.names[w.region]},
                     {"count", w.count},
                     {"sum_ns", w.sum_ns},
                     {"greatest_ns", w.greatest_ns}});
  return waits;
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
          {"events", of.event_count()},
          {"events_by_kind", kinds},
          {"lost_events", numbers.lost_events},
          {"workers", numbers.workers},
          {"machine_line", machine_line_of(numbers)},
          {"headline", headline_of(numbers)},
          {"capacity_ns", numbers.capacity_ns},
          {"work_ns", numbers.work_ns},
          {"taken_ns", numbers.taken_ns},
          {"processor_ns", numbers.processor_ns},
          {"ready_ns", numbers.ready_ns},
          {"knows_usage", numbers.knows_usage},
          {"ending", ending_names[static_cast<std::size_t>(of.end)]},
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
          {"waits", waits_json(of, numbers)},
          {"findings", findings}};
}

}  // namespace heist::inline v0::trace
