// The reports as JSON for programs, one object a line. Released keys don't change.
#pragma once

#include <string>

#include <heist/presets.hpp>

#include "cli/about/info.hpp"
#include "cli/run/measure.hpp"
#include "workloads/workload.hpp"

namespace heist::cli {

[[nodiscard]] std::string to_json(const workloads::workload& workload);
[[nodiscard]] std::string to_json(const presets::preset& preset);
[[nodiscard]] std::string to_json(const info_report& report);
[[nodiscard]] std::string to_json(const line_latency& of);
[[nodiscard]] std::string to_json(const run_report& report);

}  // namespace heist::cli
