// heist side: one side of a comparison, as a process that `heist bench --suite` starts.
#include <heist/error.hpp>
#include <heist/presets.hpp>

#include "cli/bench/requests.hpp"
#include "cli/cli.hpp"
#include "workloads/side.hpp"

namespace heist::cli {

int serve_side(const side_request& request, std::FILE* in, std::FILE* out) {
  const auto program = workloads::make_side_program(request.program, request.settings);
  if (request.preset == "serial") {
    workloads::serve({*program, [&] { program->run_serial(); }}, in, out);
    return success;
  }
  const auto* preset = presets::find(request.preset);
  if (preset == nullptr) throw usage_error("unknown preset '" + request.preset + "'");
  auto config = preset->config;
  config.workers = request.workers;
  pool on(config);
  if (on.missing_workers() > 0) throw resource_error("the system refused threads");
  auto how = workloads::execution_of(*preset);
  how.on = &on;
  workloads::serve({*program, [&] { on.run([&] { program->run_with(how); }); },
                    [&] { return on.stats().total.steals; }},
                   in, out);
  return success;
}

}  // namespace heist::cli
