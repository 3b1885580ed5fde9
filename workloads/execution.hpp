// How a program runs in parallel: of which constructs of heist it is made. The algorithms are
// written once (forkers.hpp); what is chosen here is what their forks and loops become.
#pragma once

#include <heist/pool.hpp>
#include <heist/presets.hpp>

namespace heist::workloads {

using construct = presets::construct_kind;
using loop_plan = presets::plan_kind;

struct execution {
  construct with = construct::forks;
  loop_plan plan = loop_plan::static_blocks;
  job_memory memory = job_memory::ring;
  pool* on = nullptr;    // the pool that runs it; jobs need it
  unsigned workers = 0;  // threads of a rival, which has no pool
};

// How the programs of a preset run; the caller sets the pool.
[[nodiscard]] inline execution execution_of(const presets::preset& preset) {
  return {.with = preset.construct, .plan = preset.plan, .memory = preset.memory};
}

}  // namespace heist::workloads
