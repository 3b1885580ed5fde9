// Any bytes give costs within their limits, or a usage_error of one line.
#include <string_view>

#include <heist/error.hpp>

#include "fuzz.hpp"
#include "lab/engines/cost_model.hpp"

namespace {

using namespace heist::lab;

void require_cost(double ns) { require(ns >= 0 && ns <= cost_model::max_ns); }

void look_at(const cost_model& costs) {
  for (const double ns : {costs.instruction_ns, costs.fork_ns, costs.steal_ns,
                          costs.failed_attempt_ns, costs.quiet_steal_ns, costs.suspend_ns,
                          costs.wake_ns, costs.waking_ns, costs.awake_ns.value_or(0)})
    require_cost(ns);
  require(costs.instruction_ns > 0 && costs.failed_attempt_ns > 0);
  for (const auto& each : costs.distances) {
    require_cost(each.steal_ns);
    require_cost(each.failed_attempt_ns);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    look_at(costs_from_json({reinterpret_cast<const char*>(data), size}, "f"));
  } catch (const heist::usage_error& error) {
    require_one_line(error.what(), "f");
  }
  return 0;
}
