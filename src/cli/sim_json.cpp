// The rows of `heist sim` as JSON, one object on a line.
#include <nlohmann/json.hpp>

#include "cli/sim.hpp"
#include "cli/sim_costs.hpp"
#include "cli/sim_kernel.hpp"
#include "lab/catalog/schedulers.hpp"

namespace heist::cli {

namespace {

using json = nlohmann::ordered_json;

json as_json(const report::summary& values) {
  json result = {{"mean", values.mean}, {"least", values.least}, {"greatest", values.greatest}};
  if (values.count < 2) return result;
  const auto interval = report::mean_interval(values);
  result["low_95"] = interval.low;
  result["high_95"] = interval.high;
  return result;
}

}  // namespace

std::string to_json(const sim_request& request, const lab::measures& of, const sim_row& row) {
  const bool is_queue = request.settings.stealing.access == lab::access_model::queue;
  const bool has_requests = row.communication.count > 0;
  const json object = {{"dag", request.dag},
                       {"scheduler", to_string(request.settings.scheduler)},
                       {"access", has_requests ? json(is_queue ? "queue" : "reject") : json()},
                       {"processors", row.processors},
                       {"seeds", row.steps.count},
                       {"first_seed", request.settings.seed},
                       {"work", of.work},
                       {"span", of.span},
                       {"stack_depth", of.stack_depth},
                       {"most_joins", of.most_joins},
                       {"largest_frame", of.largest_frame},
                       {"threads", of.threads},
                       {"steps", as_json(row.steps)},
                       {"speedup", row.speedup(of)},
                       {"greedy_bound", row.bound(of)},
                       {"steal_dollars", as_json(row.attempts)},
                       {"wait_dollars", as_json(row.wait)},
                       {"idle_dollars", as_json(row.idle)},
                       {"steals", as_json(row.steals)},
                       {"stolen_threads", as_json(row.threads_stolen)},
                       {"resumed_threads", as_json(row.resumed)},
                       {"communication", has_requests ? as_json(row.communication) : json()},
                       {"space", as_json(row.space)},
                       {"peak_space", row.peak_space},
                       {"space_bound", of.stack_depth * row.processors},
                       {"peak_queue", row.peak_queue}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string to_json(const sim_request& request, const lab::measures& of,
                    const lab::cost_model& costs, const lab::timed_row& row) {
  const json object = {{"dag", request.dag},
                       {"scheduler", to_string(request.settings.scheduler)},
                       {"costs", request.costs},
                       {"instruction_ns", costs.instruction_ns},
                       {"processors", row.processors},
                       {"seeds", row.seconds.count},
                       {"first_seed", request.settings.seed},
                       {"work", of.work},
                       {"span", of.span},
                       {"seconds", as_json(row.seconds)},
                       {"speedup", row.speedup(of, costs)},
                       {"work_share", as_json(row.work_share)},
                       {"overhead_share", as_json(row.overhead_share)},
                       {"asleep_share", as_json(row.asleep_share)},
                       {"forks", as_json(row.forks)},
                       {"steals", as_json(row.steals)},
                       {"attempts", as_json(row.attempts)},
                       {"suspensions", as_json(row.suspensions)},
                       {"wakes", as_json(row.wakes)},
                       {"peak_space", row.peak_space},
                       {"space_bound", of.stack_depth * row.processors}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string to_json(const sim_request& request, const lab::measures& of, const kernel_row& row) {
  const bool is_greedy = request.kernel.scheduler == lab::user_scheduler::greedy;
  json object = {{"dag", request.dag},
                 {"scheduler", is_greedy ? "greedy" : "abp"},
                 {"kernel", request.kernel.kernel},
                 {"yield", is_greedy ? json() : json(to_string(request.kernel.yield))},
                 {"processes", row.processes},
                 {"seeds", row.steps.count + row.unfinished},
                 {"first_seed", request.settings.seed},
                 {"unfinished", row.unfinished},
                 {"work", of.work},
                 {"span", of.span}};
  if (row.steps.count > 0) {
    object["steps"] = as_json(row.steps);
    object["processor_average"] = as_json(row.processor_average);
    object["steps_to_bound"] = as_json(row.ratio);
    object["steals"] = as_json(row.steals);
    object["steal_attempts"] = as_json(row.attempts);
  }
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace heist::cli
