// Schedulers by words: "work-stealing", "busy-leaves".
#pragma once

#include <string_view>
#include <vector>

#include "lab/engines/run_settings.hpp"

namespace heist::lab {

struct scheduler_name {
  scheduler_kind kind;
  std::string_view name, summary;
};

[[nodiscard]] const std::vector<scheduler_name>& schedulers();
[[nodiscard]] std::string_view to_string(scheduler_kind kind);

}  // namespace heist::lab
