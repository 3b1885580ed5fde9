#include <cstddef>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "recording/summary.hpp"

namespace heist::inline v0::trace {

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
