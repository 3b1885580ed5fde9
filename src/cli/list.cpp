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
      out.print("{:<12}{}\n", workload->name(), workload->summary());
  }
  return success;
}

}  // namespace heist::cli
