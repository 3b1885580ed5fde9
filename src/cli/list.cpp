// heist list: the workloads that `heist run` knows.
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"

namespace heist::cli {

int list(const list_request& request, output& out) {
  for (const auto* workload : workloads::all()) {
    if (request.json)
      out.print("{}\n", to_json(*workload));
    else
      out.print("{:<12}{}\n{:<12}shape: {}; stresses: {}; source: {}\n", workload->name(),
                workload->summary(), "", workload->describe().shape, workload->describe().stresses,
                workload->describe().source);
  }
  return success;
}

}  // namespace heist::cli
