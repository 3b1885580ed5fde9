// What heist finds on this machine and in this process's environment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace heist::cli {

struct info_report {
  std::string version;
  std::string compiler;
  unsigned workers;            // of a pool without a given number
  std::string workers_source;  // where that number comes from
  int affinity_cpus;
  std::optional<double> quota_cpus;
  std::string quota_source;
  std::string topology;  // one line, or the reason why there is none
  std::string barrier;
  std::size_t stack_bytes;
  std::string stack_source;
};

// Throws usage_error for a HEIST_* variable with an invalid value.
[[nodiscard]] info_report collect_info();

}  // namespace heist::cli
