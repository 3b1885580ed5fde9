// heist list: the workloads that `heist run` knows.
#include "cli/about/about.hpp"
#include "cli/cli.hpp"
#include "cli/run/run_json.hpp"

namespace heist::cli {

namespace {

int list(const bool& as_json, output& out) {
  for (const auto* workload : workloads::all()) {
    if (as_json)
      out.print("{}\n", to_json(*workload));
    else
      out.print("{:<12}{}\n{:<12}shape: {}; stresses: {}; source: {}\n", workload->name(),
                workload->summary(), "", workload->describe().shape, workload->describe().stresses,
                workload->describe().source);
  }
  return success;
}

}  // namespace

action add_list(arguments& own) {
  return add_small(own, "--json", "with their options, an object a line", list);
}

}  // namespace heist::cli
