#include "trace/lane_slices.hpp"

#include <cstddef>

namespace heist::inline v0::trace {

namespace {

// Of usage events, whose numbers go on.
struct last_usage {
  bool is_known = false;
  double processor_ns = 0;
  std::uint64_t ready_ns = 0;
};

void add_usage(const event& e, last_usage& last, foresight& to) {
  const bool tells = e.a != no_lane || e.b != no_lane;
  const std::uint64_t ready = std::uint64_t{e.a} << 32U | e.b;
  if (tells && last.is_known && e.value >= last.processor_ns && ready >= last.ready_ns) {
    foresight::lane& l = to.lanes[e.lane];
    const double ran = e.value - last.processor_ns;
    const auto waited = static_cast<double>(ready - last.ready_ns);
    l.used.push_back({e.time_ns, ran + waited > 0 ? static_cast<float>(ran / (ran + waited)) : 1});
    l.processor_ns += static_cast<std::uint64_t>(ran);
    l.ready_ns += ready - last.ready_ns;
  }
  to.knows_usage = to.knows_usage || tells;
  last = {tells, e.value, ready};
}

}  // namespace

foresight foresee(const log& recorded) {
  foresight to;
  to.lanes.resize(recorded.lanes.size());
  for (foresight::lane& l : to.lanes) l.spells.push_back(idle_why::no_work);
  std::vector<last_usage> last(to.lanes.size());
  recorded.each_event([&](const event& e) {
    std::vector<idle_why>& spells = to.lanes[e.lane].spells;
    switch (e.kind) {
      case event_kind::idle_end:
        spells.back() = static_cast<idle_why>(e.a & 3U);
        spells.push_back(idle_why::no_work);
        break;
      case event_kind::idle_begin:
        spells.push_back(idle_why::no_work);
        break;
      case event_kind::usage:
        add_usage(e, last[e.lane], to);
        break;
      default:
        break;
    }
  });
  return to;
}

lane_follower::lane_follower(const log& recorded, const foresight& ahead)
    : ahead_(ahead), lanes_(recorded.lanes.size()) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i].is_worker = recorded.lanes[i].is_worker;
}

const lane_now& lane_follower::see(const event& e) {
  followed& l = lanes_[e.lane];
  const auto go_on = [&l](lane_state s, std::uint32_t region) {
    l.now = {true, s, region, idle_why::no_work, l.is_worker || l.in_job};
  };
  const auto rest = [&](lane_state s) {
    go_on(s, 0);
    l.now.why = ahead_.lanes[e.lane].spells[l.spell];
  };
  // A thread that is no worker shows only what it does.
  const auto work_or_leave = [&](bool stays, std::uint32_t region) {
    if (l.is_worker || stays)
      go_on(lane_state::working, region);
    else
      l.now = {};
  };
  switch (e.kind) {
    case event_kind::job_begin:
    case event_kind::resume:
      l.in_job = true;
      go_on(lane_state::working, e.name);
      break;
    case event_kind::job_end:
    case event_kind::suspend:
      l.in_job = false;
      work_or_leave(false, 0);
      break;
    case event_kind::region_begin:
      go_on(lane_state::working, e.name);
      break;
    case event_kind::region_end:
      work_or_leave(e.b != 0 || l.in_job, e.b);
      break;
    case event_kind::idle_begin:
      ++l.spell;
      rest(lane_state::idle);
      break;
    case event_kind::idle_end:
      ++l.spell;
      work_or_leave(l.in_job, 0);
      break;
    case event_kind::park:
      rest(lane_state::parked);
      break;
    case event_kind::wake:
      rest(lane_state::idle);
      break;
    case event_kind::block_begin:
      go_on(lane_state::blocked, 0);
      break;
    case event_kind::block_end:
      work_or_leave(false, 0);
      break;
    case event_kind::leave:
      l.now = {};
      break;
    case event_kind::expose:
    case event_kind::steal:
    case event_kind::counter:
    case event_kind::usage:
      break;
  }
  return l.now;
}

void each_slice(const log& recorded, const foresight& ahead,
                const std::function<void(const slice&)>& see) {
  lane_follower lanes(recorded, ahead);
  std::vector<slice> open(recorded.lanes.size());
  for (std::uint32_t i = 0; i < open.size(); ++i) open[i].lane = i;
  const auto close = [&see](slice& s, std::uint64_t at, const lane_now& next) {
    s.end_ns = at;
    if (s.what.is_there && s.end_ns > s.begin_ns) see(s);
    s.begin_ns = at;
    s.what = next;
  };
  recorded.each_event([&](const event& e) {
    const lane_now& next = lanes.see(e);
    if (slice& s = open[e.lane]; !(next == s.what)) close(s, e.time_ns, next);
  });
  for (slice& s : open) close(s, recorded.duration_ns, {});
}

}  // namespace heist::inline v0::trace
