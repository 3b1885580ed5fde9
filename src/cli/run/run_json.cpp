#include "cli/run/run_json.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/option_json.hpp"
#include "report/statistics.hpp"

namespace heist::cli {

namespace {

using json = nlohmann::ordered_json;

json times(const report::samples& seconds) {
  return {{"median", seconds.median()},
          {"least", seconds.least()},
          {"greatest", seconds.greatest()},
          {"runs", seconds.values()}};
}

json as_json(const counters& counts) {
  return {{"steals", counts.steals},
          {"steals_by_size", counts.steals_by_size},
          {"puts", counts.puts},
          {"takes", counts.takes},
          {"failed_takes", counts.failed_takes},
          {"bottom_ups", counts.bottom_ups()},
          {"bottom_downs", counts.bottom_downs()},
          {"resizes", counts.resizes},
          {"failed_steals", counts.failed_steals},
          {"failed_batch_steals", counts.failed_batch_steals},
          {"batched", counts.batched},
          {"exposes", counts.exposes},
          {"remote_exposes", counts.remote_exposes},
          {"reclaims", counts.reclaims},
          {"suspends", counts.suspends},
          {"blocked_joins", counts.blocked_joins},
          {"parks", counts.parks},
          {"naps", counts.naps},
          {"wakes", counts.wakes},
          {"inlined_forks", counts.inlined_forks},
          {"yields", counts.yields}};
}

// The counts up to the last that isn't 0; the first is of 0 and 1, the next of 2, then 3 to 4.
json as_json(const log2_histogram& h) {
  std::size_t used = log2_histogram::buckets;
  while (used > 0 && h.counts[used - 1] == 0) --used;
  return {{"count", h.count()},
          {"sum", h.sum},
          {"by_power_of_two", std::vector(h.counts.begin(), h.counts.begin() + used)}};
}

json as_json(const pool_histograms& h) {
  json idle = json::object();
  for (const idle_reason r : all_idle_reasons)
    idle[std::string(to_string(r))] = as_json(h.idle_ns[static_cast<std::size_t>(r)]);
  json distances = json::object();
  for (const steal_distance d : all_steal_distances)
    distances[std::string(to_string(d))] = h.steals_by_distance[static_cast<std::size_t>(d)];
  return {{"steal_ns", as_json(h.steal_ns)},         {"steal_depth", as_json(h.steal_depth)},
          {"steal_places", as_json(h.steal_places)}, {"steals_by_distance", distances},
          {"wake_ns", as_json(h.wake_ns)},           {"idle_ns", idle}};
}

}  // namespace

std::string to_json(const workloads::workload& workload) {
  const auto profile = workload.describe();
  return on_one_line({{"name", workload.name()},
                      {"summary", workload.summary()},
                      {"shape", profile.shape},
                      {"stresses", profile.stresses},
                      {"source", profile.source},
                      {"options", json_of(workload.options())}});
}

std::string to_json(const presets::preset& preset) {
  const auto& c = preset.config;
  json pool = {{"deque", to_string(c.deque)},    {"spawn", to_string(c.spawn)},
               {"join", to_string(c.join)},      {"victim", to_string(c.victim)},
               {"idle", to_string(c.idle)},      {"yield", to_string(c.yield)},
               {"order", to_string(c.order)},    {"steal_batch", c.steal_batch},
               {"steal_rule", to_string(c.rule)}};
  const bool plans = preset.construct == presets::construct_kind::plan;
  const bool has_jobs = preset.construct == presets::construct_kind::jobs;
  return on_one_line({{"name", preset.name},
                      {"parts", preset.parts},
                      {"construct", to_string(preset.construct)},
                      {"plan", plans ? json(to_string(preset.plan)) : json()},
                      {"memory", has_jobs ? json(to_string(preset.memory)) : json()},
                      {"pool", pool},
                      {"limits", preset.limits},
                      {"source", preset.source}});
}

std::string to_json(const info_report& report) {
  return on_one_line({{"version", report.version},
                      {"compiler", report.compiler},
                      {"workers", report.workers},
                      {"workers_source", report.workers_source},
                      {"affinity_cpus", report.affinity_cpus},
                      {"quota_cpus", report.quota_cpus ? json(*report.quota_cpus) : json()},
                      {"quota_source", report.quota_source},
                      {"topology", report.topology},
                      {"barrier", report.barrier},
                      {"stack_bytes", report.stack_bytes},
                      {"stack_source", report.stack_source}});
}

std::string to_json(const line_latency& of) {
  json rows = json::array();
  for (const auto& row : of.ns) {
    json each = json::array();
    for (const auto& ns : row) each.push_back(ns ? json(*ns) : json());
    rows.push_back(std::move(each));
  }
  return on_one_line({{"cpus", of.cpus}, {"one_way_ns", std::move(rows)}});
}

std::string to_json(const run_report& report) {
  json per_worker = json::array();
  for (const auto& counts : report.stats.workers) per_worker.push_back(as_json(counts));
  json result = {{"workload", report.workload},
                 {"options", json_of(report.options)},
                 {"files", report.files},
                 {"result", report.result},
                 {"workers", report.workers},
                 {"missing_workers", report.missing_workers},
                 {"preset", report.preset},
                 {"deque", to_string(report.policies.deque)},
                 {"steal_batch", report.policies.steal_batch},
                 {"steal_rule", to_string(report.policies.rule)},
                 {"join", to_string(report.policies.join)},
                 {"victim", to_string(report.policies.victim)},
                 {"idle", to_string(report.policies.idle)},
                 {"serial_s", times(report.serial)},
                 {"one_worker_s", times(report.one_worker)},
                 {"p_workers_s", times(report.p_workers)},
                 {"t1_over_ts", report.overhead()},
                 {"ts_over_tp", report.speedup()},
                 {"t1_over_tp", report.scaling()},
                 {"items", report.items},
                 {"unit", report.unit},
                 {"steals_per_run", report.steals_per_run()},
                 {"stacks_peak", report.stats.stacks_peak},
                 {"blocking_calls", report.stats.blocking_calls},
                 {"blocking_refusals", report.stats.blocking_refusals},
                 {"blocking_threads_in_use", report.stats.blocking_threads_in_use},
                 {"blocking_threads_peak", report.stats.blocking_threads_peak},
                 {"seatless_calls", report.stats.seatless_calls},
                 {"counters", as_json(report.stats.total)},
                 {"counters_by_worker", per_worker}};
  if (report.others) result["others"] = *report.others;
  if (report.profile) result["profile"] = json::parse(heist::to_json(*report.profile));
  if (report.stats.has_histograms) result["histograms"] = as_json(report.stats.histograms);
  if (report.deque_series) result["deque_series"] = json::parse(series_json(*report.deque_series));
  return on_one_line(result);
}

}  // namespace heist::cli
