// Options of workloads and benchmarks as JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "workloads/options.hpp"

namespace heist::cli {

// What may be given: an object for each.
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<workloads::option_spec>& options);
// What was given: an object with a value for each.
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<workloads::option_text>& given);

// File names need not be UTF-8: other bytes become U+FFFD.
[[nodiscard]] std::string on_one_line(const nlohmann::ordered_json& value);

}  // namespace heist::cli
