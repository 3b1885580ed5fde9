#include "trace/lane_slices.hpp"

#include <cstddef>

namespace heist::inline v0::trace {

namespace {

// Follows one lane from event to event.
class follower {
 public:
  follower(std::uint32_t lane, bool is_worker) : is_worker_(is_worker), first_idle_(0) {
    now_.lane = lane;
    now_.state = lane_state::idle;
  }

  void see(const event& e, std::vector<slice>& to) {
    was_in_job_ = in_job_;
    switch (e.kind) {
      case event_kind::job_begin:
      case event_kind::resume:
        in_job_ = true;
        return go_on(e, lane_state::working, e.name, to);
      case event_kind::job_end:
      case event_kind::suspend:
        in_job_ = false;
        return is_outside() ? leave(e, to) : go_on(e, lane_state::working, 0, to);
      case event_kind::region_begin:
        return go_on(e, lane_state::working, e.name, to);
      case event_kind::region_end:
        if (e.b == 0 && is_outside()) return leave(e, to);
        return go_on(e, lane_state::working, e.b, to);
      case event_kind::idle_begin:
        go_on(e, lane_state::idle, 0, to);
        first_idle_ = to.size();
        return;
      case event_kind::idle_end:
        return end_idle(e, to);
      case event_kind::park:
        return go_on(e, lane_state::parked, 0, to);
      case event_kind::wake:
        return go_on(e, lane_state::idle, 0, to);
      case event_kind::block_begin:
        return go_on(e, lane_state::blocked, 0, to);
      case event_kind::block_end:
        return is_worker_ ? go_on(e, lane_state::working, 0, to) : leave(e, to);
      case event_kind::leave:
        return leave(e, to);
      case event_kind::expose:
      case event_kind::steal:
      case event_kind::counter:
        return;
    }
  }
  void finish(std::uint64_t end_ns, std::vector<slice>& to) {
    was_in_job_ = in_job_;
    close(end_ns, to);
  }

 private:
  [[nodiscard]] bool is_outside() const { return !is_worker_ && !in_job_; }
  void close(std::uint64_t at, std::vector<slice>& to) {
    now_.end_ns = at;
    now_.in_pool = is_worker_ || was_in_job_;
    if (has_state_ && now_.end_ns > now_.begin_ns) to.push_back(now_);
    now_.begin_ns = at;
  }
  void leave(const event& e, std::vector<slice>& to) {
    close(e.time_ns, to);
    has_state_ = false;
    now_.region = 0;
  }
  void go_on(const event& e, lane_state s, std::uint32_t region, std::vector<slice>& to) {
    const bool is_same = has_state_ && now_.state == s && now_.region == region;
    if (is_same && was_in_job_ == in_job_) return;
    close(e.time_ns, to);
    has_state_ = true;
    now_.state = s;
    now_.region = region;
    now_.why = idle_why::no_work;
  }
  // The reason is known at the end of a spell, for all of its slices.
  void end_idle(const event& e, std::vector<slice>& to) {
    if (is_outside())
      leave(e, to);
    else
      go_on(e, lane_state::working, 0, to);
    for (std::size_t i = first_idle_; i < to.size(); ++i)
      if (to[i].state != lane_state::working) to[i].why = static_cast<idle_why>(e.a & 3U);
    first_idle_ = to.size();
  }

  bool is_worker_;
  bool has_state_ = false;
  bool in_job_ = false, was_in_job_ = false;  // after this event, and before it
  std::size_t first_idle_;                    // where the slices of the idle spell begin
  slice now_{};
};

}  // namespace

std::vector<slice> slices_of(const log& recorded) {
  std::vector<std::vector<slice>> found(recorded.lanes.size());
  std::vector<follower> lanes;
  lanes.reserve(found.size());
  for (std::uint32_t i = 0; i < found.size(); ++i)
    lanes.emplace_back(i, recorded.lanes[i].is_worker);
  for (const event& e : recorded.events) lanes[e.lane].see(e, found[e.lane]);
  std::vector<slice> all;
  for (std::size_t i = 0; i < found.size(); ++i) {
    lanes[i].finish(recorded.duration_ns, found[i]);
    all.insert(all.end(), found[i].begin(), found[i].end());
  }
  return all;
}

}  // namespace heist::inline v0::trace
