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
  pool* on = nullptr;    // the pool that runs it; jobs need it
  unsigned workers = 0;  // threads of a rival, which has no pool
};

}  // namespace heist::workloads
